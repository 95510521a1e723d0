import { createHmac } from "node:crypto";
import { ConfigError } from "../../errors.ts";
import type { HeadRefusal, Verdict, WebhookHead, WebhookRequest } from "../../ports/channel.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { readObject } from "../../wire/json-object.ts";
import { guessable, isGuessable } from "../../wire/own-secret.ts";
import { isForwarded, isLoopbackHost, isOfAnotherSite } from "../../wire/request-origin.ts";
import { sameSignature } from "../../wire/same-secret.ts";
import { isJson, NOT_JSON } from "./parse.ts";

/** What a visitor is checked against. */
interface Proof {
  readonly secret: SecretReference | undefined;
  /** An operator's word that each sender may be taken at its word. */
  readonly unsigned: boolean;
  readonly secrets?: Secrets;
  readonly publicUrl?: string;
}

const ANOTHER_PAGE = "another page may not write here";
const NOT_FROM_HERE =
  "visitors are not signed, so that only this machine may write, as http://localhost and through no proxy: " +
  "set LULL_PUBLIC_URL and LULL_WEB_SECRET, or LULL_WEB_UNSIGNED=1 if any caller may write as any visitor";
const NO_SIGNATURE = "there is no x-lull-signature header";

/** What can be told without the body. */
export function glance(head: WebhookHead, proof: Proof): HeadRefusal | undefined {
  const why = strangeness(head, proof);
  if (why !== undefined) return { code: "INVALID_SIGNATURE", why };
  if (proof.secret !== undefined && !head.headers["x-lull-signature"])
    return { code: "INVALID_SIGNATURE", why: NO_SIGNATURE };
  return isJson(head) ? undefined : { code: "INVALID_PAYLOAD", why: NOT_JSON };
}

/**
 * The signature covers the sender alone: the server of the page makes it once for each visitor and hands it
 * over.
 */
export async function verify(request: WebhookRequest, proof: Proof): Promise<Verdict> {
  const { secret, secrets } = proof;
  const strange = strangeness(request, proof);
  if (strange !== undefined) return refused(strange);
  if (secret === undefined) return { kind: "authentic" };
  if (secrets === undefined)
    throw new ConfigError("a web channel with a secret was used before it was opened");
  const sender = readObject(request.body)?.sender;
  if (typeof sender !== "string")
    return refused("the body is not a JSON object with a sender, so no sender can be proven");
  const given = request.headers["x-lull-signature"];
  if (!given) return refused(NO_SIGNATURE);
  const key = await secrets.get(secret);
  // For the log alone: the caller has proven nothing yet.
  if (isGuessable(key)) throw new ConfigError(guessable("the channel's secret (LULL_WEB_SECRET)"));
  const expected = createHmac("sha256", key).update(sender).digest("hex");
  if (sameSignature(given.toLowerCase(), expected)) return { kind: "authentic" };
  return refused("x-lull-signature is not the hex HMAC-SHA256 of the sender");
}

/** Why a request must not write here, as far as its headers show without a signature. */
function strangeness({ headers }: WebhookHead, proof: Proof): string | undefined {
  if (isFromAnotherPage(headers, proof.publicUrl)) return ANOTHER_PAGE;
  return isForThisMachine(proof) && !isFromHere(headers) ? NOT_FROM_HERE : undefined;
}

/** Senders are not signed, and no operator has said that this is for the world. */
export function isForThisMachine({ secret, unsigned, publicUrl }: Proof): boolean {
  return secret === undefined && !unsigned && publicUrl === undefined;
}

/**
 * A browser says whether another site's page made the request; older ones say which site (`Origin`), which is
 * compared where our own is known. A page that people merely visit must not make them write, and spend what
 * an answer costs.
 */
function isFromAnotherPage(headers: WebhookHead["headers"], publicUrl: string | undefined): boolean {
  const told = isOfAnotherSite(headers);
  if (told !== undefined) return told;
  const { origin } = headers;
  if (origin === undefined || publicUrl === undefined) return false;
  return origin !== new URL(publicUrl).origin;
}

/**
 * A request to `localhost`, which no other site's page can make. A request without a host is from no browser.
 */
function isFromHere(headers: WebhookHead["headers"]): boolean {
  return (headers.host === undefined || isLoopbackHost(headers.host)) && !isForwarded(headers);
}

function refused(why: string): Verdict {
  return { kind: "refused", why };
}
