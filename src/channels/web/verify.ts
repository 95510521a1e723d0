import { createHmac, timingSafeEqual } from "node:crypto";
import { ConfigError } from "../../errors.ts";
import type { Verdict, WebhookRequest } from "../../ports/channel.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { readObject } from "./body.ts";

/** The signature is over the sender alone: whoever serves the page makes it once for each visitor and hands it over. */
export async function verify(
  request: WebhookRequest,
  secret: SecretReference | undefined,
  secrets: Secrets | undefined,
): Promise<Verdict> {
  if (secret === undefined) return { kind: "authentic" };
  if (secrets === undefined)
    throw new ConfigError("a web channel with a secret was used before it was opened");
  const sender = readObject(request.body)?.sender;
  if (typeof sender !== "string")
    return refused("the body is not a JSON object with a sender, so nobody can be proven");
  const given = request.headers["x-lull-signature"];
  if (!given) return refused("there is no x-lull-signature header");
  const key = await secrets.get(secret);
  if (key === "") return refused("the secret in the configuration is empty: anybody could sign with it");
  const expected = Buffer.from(createHmac("sha256", key).update(sender).digest("hex"));
  const signature = Buffer.from(given.toLowerCase());
  if (signature.length === expected.length && timingSafeEqual(signature, expected))
    return { kind: "authentic" };
  return refused("x-lull-signature is not the hex HMAC-SHA256 of the sender");
}

function refused(why: string): Verdict {
  return { kind: "refused", why };
}
