import { LullError } from "../../src/errors.ts";

/** How a peer on the network behaves badly. */
export type Manner = "says nothing" | "drips headers" | "drips body" | "closes";

/** One outgoing call of the product. */
export interface OutgoingCall {
  readonly name: string;
  /** The sources whose requests it makes: a new one has to be named by some call. */
  readonly of: readonly string[];
  /**
   * Makes the call. `signal` is the deadline of those that are handed one; the others have their own, made
   * short for the test.
   */
  make(url: string, signal: AbortSignal): Promise<unknown>;
  /** The result, in `told`'s words, when it is cut off by its deadline or by the peer. */
  readonly ends: string | ((manner: Manner) => string);
}

/** An outcome in a word or two: `unknown`, `STORE_UNAVAILABLE later`, `aborted`. */
export function told(outcome: unknown): string {
  if (outcome instanceof LullError) return `${outcome.code} ${outcome.retry}`;
  if (outcome instanceof Error) return outcome.name === "AbortError" ? "aborted" : `error ${outcome.name}`;
  if (Array.isArray(outcome)) return outcome.length === 0 ? "no problems" : "problems";
  const { kind } = Object(outcome) as { kind?: unknown };
  return typeof kind === "string" ? kind : String(outcome);
}

/** A peer that only drips or drops its body has sent its status, which is all that some calls need. */
export const unlessStatusCame = (cut: string, came: string) => (manner: Manner) =>
  manner === "says nothing" || manner === "drips headers" ? cut : came;
/** A caller that aborts gets its own reason back; a peer that closes is an error of its own kind. */
export const abortedOr = (closed: string) => (manner: Manner) => (manner === "closes" ? closed : "aborted");
