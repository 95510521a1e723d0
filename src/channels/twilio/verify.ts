import { hash } from "node:crypto";
import { ConfigError } from "../../errors.ts";
import type { HeadRefusal, Verdict, WebhookHead, WebhookRequest } from "../../ports/channel.ts";
import { hmacSha1 } from "../../wire/hmac.ts";
import { sameSignature } from "../../wire/same-secret.ts";
import { type Form, first, isForm, isJson, PARAMETERS_MAX, readForm, TOO_MANY } from "./form.ts";
import { isCutElsewhere } from "./recut.ts";
import { type Account, type Session, speaksFor } from "./session.ts";

const NO_SIGNATURE = "there is no X-Twilio-Signature header";
const CUT = "its parameters can be cut in more than one way: the signature may have been made for others";

/** Forms, or JSON where the URL holds its hash. A request that names no type is judged by its signature. */
export function glance({ headers, url }: WebhookHead): HeadRefusal | undefined {
  if (!headers["x-twilio-signature"]) return { code: "INVALID_SIGNATURE", why: NO_SIGNATURE };
  if (headers["content-type"] === undefined || isForm(headers)) return undefined;
  if (isJson(headers) && bodyHashIn(withoutFragment(url)) !== undefined) return undefined;
  return { code: "INVALID_PAYLOAD", why: "the content-type is none that Twilio sends" };
}

/**
 * Twilio signs with the account's auth token. The body names the account and is not proven yet, but the token
 * is ours, from the configuration: naming another account only picks another token to fail against.
 */
export async function verify(session: Session, request: WebhookRequest): Promise<Verdict> {
  const signature = request.headers["x-twilio-signature"];
  if (!signature) return refused(NO_SIGNATURE);
  const form = readForm(request);
  if (form === TOO_MANY) return refused(`there are more than ${PARAMETERS_MAX} parameters`);
  const account = session.accounts.get(first(form, "AccountSid") ?? "");
  if (account === undefined)
    return refused("AccountSid is missing or is not an account in the configuration");

  if (!mayCallFor(account, form)) return refused("the number belongs to another account");

  const url = withoutFragment(request.url);
  const bodyHash = isJson(request.headers) ? bodyHashIn(url) : undefined;
  if (bodyHash !== undefined && !sameSignature(bodyHash, hash("sha256", request.body))) {
    return refused("the body is not the one that was signed");
  }
  const token = await session.context.secrets.get(account.authToken);
  if (token === "")
    throw new ConfigError("the auth token in the configuration is empty: any caller could sign with it");
  // With a body hash in it, the URL alone is signed.
  const suffix = bodyHash === undefined ? signedForm(form) : "";
  const matches = (candidate: string) => sameSignature(signature, signatureOf(token, candidate + suffix));
  // Nearly always it is the URL as it stands.
  if (matches(url) || otherForms(url).some(matches)) {
    return bodyHash === undefined && isCutElsewhere(queryOf(url) + suffix, form)
      ? refused(CUT)
      : { kind: "authentic" };
  }
  return refused(
    "the signature does not match: check the auth token and that the public URL is the one Twilio calls",
  );
}

/**
 * An account speaks for its own numbers only. Its token must not vouch for messages of another account's
 * customers, nor for the statuses of their replies.
 */
function mayCallFor(account: Account, form: Form): boolean {
  return speaksFor(account, first(form, form.has("MessageStatus") ? "From" : "To") ?? "");
}

/** Sorted by key; a repeated key gives each different value once, sorted too. Blank values count. */
export function signedForm(form: Form): string {
  let signed = "";
  for (const key of [...form.keys()].sort()) {
    const values = form.get(key)!;
    if (values.length === 1) signed += key + values[0];
    else for (const value of [...new Set(values)].sort()) signed += key + value;
  }
  return signed;
}

export function signatureOf(token: string, signed: string): string {
  return hmacSha1(token, signed);
}

/** Connection overrides such as `#rc=3&rp=all` tell Twilio how to call; they are neither sent nor signed. */
function withoutFragment(url: string): string {
  const at = url.indexOf("#");
  return at === -1 ? url : url.slice(0, at);
}

/** Parameters may have been moved into the query: in what is signed it stands before them. */
function queryOf(url: string): string {
  const at = url.indexOf("?");
  return at === -1 ? "" : url.slice(at + 1);
}

/**
 * Twilio appends it behind everything else. Anywhere else it may be a customer's text, in a form that was
 * moved into the URL.
 */
function bodyHashIn(url: string): string | undefined {
  return /[?&]bodySHA256=([0-9a-f]{64})$/i.exec(url)?.[1]?.toLowerCase();
}

/** How else the same URL may have been signed. A forged webhook costs a signature for each. */
function otherForms(url: string): string[] {
  const forms = new Set([...asReceived(url), ...normalised(url)]);
  forms.delete(url);
  return [...forms];
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^/?#@]*@)?)(\[[^\]]*\]|[^:/?#]*)(:\d*)?(.*)$/is;

/** Twilio's own validator accepts the URL with and without a port: its products differ in which they sign. */
function asReceived(url: string): string[] {
  const [, scheme, user, host, port, rest] = URL_PARTS.exec(url) ?? [];
  if (scheme === undefined) return [url];
  const standardPort = scheme.toLowerCase() === "https://" ? ":443" : ":80";
  return [`${scheme}${user}${host}${rest}`, `${scheme}${user}${host}${port ?? standardPort}${rest}`];
}

/** Some of Twilio's senders sign the URL with its special characters escaped. */
function normalised(url: string): string[] {
  return URL.canParse(url) ? asReceived(new URL(url).toString()) : [];
}

function refused(why: string): Verdict {
  return { kind: "refused", why };
}
