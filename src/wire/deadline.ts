import type { Clock } from "../ports/clock.ts";

/**
 * How long AWS may take. Every request to AWS has its own deadline: an endpoint that accepts and never
 * answers raises no error, and one that sends a byte a second is never idle. The sums matter: a webhook must
 * be answered before Twilio gives up (15 s).
 */
export const AWS_DEADLINES = {
  /** Until a connection stands. */
  connectMsMax: 2_000,
  /** One request, from its first byte to the last byte of its answer, with the SDK's own retries. */
  requestMsMax: 3_000,
  /** One call with all its tries. Then it is `STORE_UNAVAILABLE`, though its write may have taken effect. */
  callMsMax: 8_000,
  /** What a look for triggers may take beyond its own waiting time. */
  pollMarginMsMax: 5_000,
  /** A secret, with the SDK's own tries. */
  secretMsMax: 5_000,
} as const;

/** No answer came in time. It has the name and code of SDKs, for code that checks an error's shape. */
export class DeadlineMissed extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";

  constructor(msMax: number) {
    super(`no answer within ${msMax / 1_000} s`);
  }
}

/**
 * For work that no signal could end: at the deadline its caller stops waiting, and it goes on alone. Cheaper
 * than `within`, and every webhook passes through here.
 */
export function answerWithin<T>(clock: Clock, msMax: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(msMax, () => reject(new DeadlineMissed(msMax)));
    work().then(
      (answer) => {
        cancel();
        resolve(answer);
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}

/**
 * Ends at the deadline, or when `given` aborts, whatever `work` does: its signal aborts, and the caller stops
 * waiting. An SDK does not check its signal everywhere (not while it fetches credentials, nor between two
 * tries).
 */
export async function within<T>(
  clock: Clock,
  msMax: number,
  work: (signal: AbortSignal) => Promise<T>,
  given?: AbortSignal,
): Promise<T> {
  const ending = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown) => {
    // Rejected first, then aborted: the error that the abort causes must not come before the reason.
    ended.reject(reason);
    ending.abort(reason);
  };
  const giveUp = () => end(given?.reason);
  if (given?.aborted) giveUp();
  given?.addEventListener("abort", giveUp);
  const cancel = clock.after(msMax, () => end(new DeadlineMissed(msMax)));
  try {
    return await Promise.race([ended.promise, work(ending.signal)]);
  } finally {
    cancel();
    given?.removeEventListener("abort", giveUp);
  }
}
