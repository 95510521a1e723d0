import type { Clock } from "../ports/clock.ts";

/**
 * How long AWS may take. What asks AWS gives up by itself: an endpoint that accepts and never answers raises no error, and one that
 * sends a byte a second is never idle. The sums matter: a webhook has to be answered before Twilio stops listening (15 s).
 */
export const AWS_DEADLINES = {
  /** Until a connection stands. */
  connectMsMax: 2_000,
  /** One request, from its first byte to the last one of its answer, and the SDK's own repetitions of it. */
  requestMsMax: 3_000,
  /** One call of ours with all its tries. Then it is `STORE_UNAVAILABLE`: what it wrote may have taken effect all the same. */
  callMsMax: 8_000,
  /** What a look for triggers may take beyond the time that it was told to wait. */
  pollMarginMsMax: 5_000,
  /** A secret, with the SDK's own tries. */
  secretMsMax: 5_000,
} as const;

/** Nobody answered in time. Named as SDKs name it, so that whoever looks at an error's shape knows it. */
export class DeadlineMissed extends Error {
  override readonly name = "TimeoutError";
  readonly code = "ETIMEDOUT";

  constructor(msMax: number) {
    super(`no answer within ${msMax / 1_000} s`);
  }
}

/**
 * Ends at the deadline, or when `given` aborts, whatever `work` does: its signal aborts, and nobody waits for it any longer. An SDK
 * looks at a signal in some places and not in others (while it fetches credentials, between two tries).
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
    // First told, then aborted: the error that an abort makes must not come before the reason for it.
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
