import { createHmac, timingSafeEqual } from "node:crypto";
import { ConfigError } from "../../errors.ts";
import type { HeadRefusal, Verdict, WebhookHead, WebhookRequest } from "../../ports/channel.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { readObject } from "./body.ts";
import { isJson, NOT_JSON } from "./parse.ts";

/** What a visitor is checked against. */
interface Proof {
  readonly secret: SecretReference | undefined;
  readonly secrets?: Secrets;
  readonly publicUrl?: string;
}

const ANOTHER_PAGE = "another page may not write here";
const NO_SIGNATURE = "there is no x-lull-signature header";

/** What can be told without the body. */
export function glance(head: WebhookHead, { secret, publicUrl }: Proof): HeadRefusal | undefined {
  if (isFromAnotherPage(head, publicUrl)) return { code: "INVALID_SIGNATURE", why: ANOTHER_PAGE };
  if (secret !== undefined && !head.headers["x-lull-signature"])
    return { code: "INVALID_SIGNATURE", why: NO_SIGNATURE };
  return isJson(head) ? undefined : { code: "INVALID_PAYLOAD", why: NOT_JSON };
}

/** The signature is over the sender alone: whoever serves the page makes it once for each visitor and hands it over. */
export async function verify(request: WebhookRequest, proof: Proof): Promise<Verdict> {
  const { secret, secrets } = proof;
  if (isFromAnotherPage(request, proof.publicUrl)) return refused(ANOTHER_PAGE);
  if (secret === undefined) return { kind: "authentic" };
  if (secrets === undefined)
    throw new ConfigError("a web channel with a secret was used before it was opened");
  const sender = readObject(request.body)?.sender;
  if (typeof sender !== "string")
    return refused("the body is not a JSON object with a sender, so nobody can be proven");
  const given = request.headers["x-lull-signature"];
  if (!given) return refused(NO_SIGNATURE);
  const key = await secrets.get(secret);
  if (key === "") return refused("the secret in the configuration is empty: anybody could sign with it");
  const expected = Buffer.from(createHmac("sha256", key).update(sender).digest("hex"));
  const signature = Buffer.from(given.toLowerCase());
  if (signature.length === expected.length && timingSafeEqual(signature, expected))
    return { kind: "authentic" };
  return refused("x-lull-signature is not the hex HMAC-SHA256 of the sender");
}

/**
 * A browser says whether another site's page made the request; older ones say which (`Origin`), which is compared where our own is known.
 * A page that people merely visit must not make them write, and spend what an answer costs.
 */
function isFromAnotherPage({ headers }: WebhookHead, publicUrl: string | undefined): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "cross-site" || site === "same-site";
  const { origin } = headers;
  if (origin === undefined || publicUrl === undefined) return false;
  return origin !== new URL(publicUrl).origin;
}

function refused(why: string): Verdict {
  return { kind: "refused", why };
}
