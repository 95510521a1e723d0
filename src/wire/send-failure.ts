import { LullError } from "../errors.ts";
import type { SendOutcome } from "../ports/channel.ts";
import { nameOf, neverConnected } from "./connection-failure.ts";

export function notSent(retry: "later" | "never", why: string): SendOutcome {
  return { kind: "not-sent", retry, why };
}

/** Every send fails until an operator mends it; the message itself was never looked at. */
export function unreadableSecret(error: unknown): SendOutcome {
  const why = error instanceof LullError ? error.message : "the secret could not be read";
  return { kind: "not-sent", retry: "later", credentials: true, why };
}

/** Without a connection nothing was sent. One that ended later may have carried the message. */
export function brokenSend(provider: string, error: unknown): SendOutcome {
  if (neverConnected(error)) return notSent("later", `${provider} could not be reached: ${nameOf(error)}`);
  const why = `the connection to ${provider} ended before its answer: ${nameOf(error)}`;
  return { kind: "unknown", why };
}
