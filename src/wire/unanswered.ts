import { LullError } from "../errors.ts";
import { CERTIFICATE_REFUSED, nameOf, neverConnected } from "./connection-failure.ts";

/**
 * Why a peer gave no answer, in words that follow its name: `api.example refuses connections (...)`. What an
 * error of our own says stands for itself.
 */
export function unanswered(peer: string, error: unknown, signal: AbortSignal): string {
  if (error instanceof LullError) return error.message;
  return `${peer} ${signal.aborted ? silence(error) : inWords(nameOf(error))}`;
}

function silence(error: unknown): string {
  return neverConnected(error)
    ? "did not take a connection in time: a firewall may be in the way"
    : "takes connections and does not answer";
}

/** By the system's word for it. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "is a name that DNS does not know",
  EAI_AGAIN: "could not be looked up: DNS does not answer here",
  ECONNREFUSED: "refuses connections: nothing listens there",
  ECONNRESET: "hung up without an answer",
  EHOSTUNREACH: "cannot be reached from this machine",
  ENETUNREACH: "cannot be reached from this machine",
  ETIMEDOUT: "did not take a connection in time: a firewall may be in the way",
  EPROTO: "does not speak TLS as it should: is it http, or another port?",
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet, or the clock here is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a certificate that it signed itself",
  SELF_SIGNED_CERT_IN_CHAIN: "has a certificate that no known issuer vouches for",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "sends its certificate without the one that vouches for it",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "has a certificate of an issuer that is not known here",
};

function inWords(name: string): string {
  const words = WORDS[name] ?? (/^ERR_SSL_/.test(name) ? WORDS.EPROTO : undefined);
  if (words !== undefined) return `${words} (${name})`;
  return /^HPE_/.test(name) ? `answers, but not in HTTP (${name})` : `could not be reached (${name})`;
}

/** Whether every caller would be turned away, wherever it is. */
export function isSameForAll(error: unknown): boolean {
  const name = nameOf(error);
  return name === "ENOTFOUND" || name === "EPROTO" || /^ERR_SSL_/.test(name) || CERTIFICATE_REFUSED.has(name);
}
