import { createHash, timingSafeEqual } from "node:crypto";
import type { Verdict, WebhookRequest } from "../../ports/channel.ts";
import { readObject, text } from "./body.ts";
import type { Session } from "./session.ts";

/** WATI signs nothing, so the URL it was given (or whoever passes its webhooks on) carries a secret that we share. */
export async function verify(session: Session, request: WebhookRequest): Promise<Verdict> {
  const given = secretsIn(request);
  if (given.length === 0)
    return { kind: "refused", why: "the webhook carries no secret: add ?secret=... to its URL" };
  const expected = digest(await session.context.secrets.get(session.webhookSecret));
  // Each is compared to the end: which place held the right secret must not show in the time it takes.
  const matches = given.map((secret) => timingSafeEqual(digest(secret), expected));
  return matches.includes(true)
    ? { kind: "authentic" }
    : { kind: "refused", why: "the secret is not the right one" };
}

function secretsIn({ url, headers, body }: WebhookRequest): string[] {
  const query = new URLSearchParams(url.split("#")[0]?.split("?")[1] ?? "");
  const passkey = readObject(body)?.passkey;
  return [
    query.get("secret"),
    query.get("token"),
    headers["x-wati-secret"],
    /^Bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1],
    text(passkey),
  ].filter((secret) => typeof secret === "string" && secret !== "") as string[];
}

/** Digests are of one length, as `timingSafeEqual` wants, and say nothing of the secret's. */
function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
