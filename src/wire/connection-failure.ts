import { LullError } from "../errors.ts";

/** The certificate is checked before the first byte of a request is sent. */
export const CERTIFICATE_REFUSED = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Given up while the connection was still being made. */
export class NeverConnected extends Error {
  override readonly name = "NeverConnected";

  constructor(cause: unknown) {
    super("given up before there was a connection", { cause });
  }
}

interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/**
 * True only if no connection was made, so that nothing can have been sent. The error's code alone is not
 * enough: the system call says whether `EHOSTUNREACH` ended an attempt to connect or a connection that
 * already carried a message.
 */
export function neverConnected(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if (error instanceof NeverConnected) return true;
  const { code, syscall, cause, errors } = error as SystemError;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(neverConnected);
  if (syscall === "connect" || syscall === "getaddrinfo") return true;
  if (code === "UND_ERR_CONNECT_TIMEOUT" || CERTIFICATE_REFUSED.has(String(code))) return true;
  return cause !== undefined && neverConnected(cause);
}

/** A word for people: `ECONNREFUSED`, `AbortError`. Never the message, which may hold a customer's number. */
export function nameOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown error";
  const { code, cause } = error as SystemError;
  if (typeof code === "string") return code;
  if (typeof cause === "object" && cause !== null) return nameOf(cause);
  return error instanceof Error ? error.name : "unknown error";
}

/** A service that was to answer could not be asked: its own name for the cause is told, if it is a word. */
export function unreachable(service: string, code: string, cause: unknown): LullError {
  const { code: told } = cause as SystemError;
  const why = typeof told === "string" && /^[\w.[\]-]{1,64}$/.test(told) ? ` (${told})` : "";
  return new LullError(`${service} could not be reached${why}`, { code, retry: "later", cause });
}
