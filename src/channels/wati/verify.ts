import { ConfigError } from "../../errors.ts";
import type { Verdict, WebhookRequest } from "../../ports/channel.ts";
import { readObject } from "../../wire/json-object.ts";
import { guessable, isGuessable } from "../../wire/own-secret.ts";
import { sameSecret } from "../../wire/same-secret.ts";
import { text } from "./body.ts";
import type { Session } from "./session.ts";

const WRONG = "the secret is not the right one";
/** A relay writes it once. */
const PASSKEYS_MAX = 4;
const OURS = "the webhook's secret (WATI_WEBHOOK_SECRET)";

/** Why it must not be served: a caller that guesses the secret can write as any customer. */
export async function unfit({ context, webhookSecret }: Session): Promise<string | undefined> {
  return isGuessable(await context.secrets.get(webhookSecret)) ? guessable(OURS) : undefined;
}

/**
 * WATI signs nothing, so the URL that it was given, or the relay that passes its webhooks on, carries a
 * shared secret.
 */
export async function verify(session: Session, request: WebhookRequest): Promise<Verdict> {
  const secret = await session.context.secrets.get(session.webhookSecret);
  // For the log alone: the caller has proven nothing yet, and WATI tries again after the repair.
  if (isGuessable(secret)) throw new ConfigError(guessable(OURS));
  const inHead = secretsIn(request);
  if (holds(inHead, secret)) return { kind: "authentic" };
  if (inHead.length > 0) return { kind: "refused", why: WRONG };
  const written = passkeysWritten(request.body);
  if (written.length === 0)
    return { kind: "refused", why: "the webhook carries no secret: add ?secret=... to its URL" };
  // Only a body that holds the right secret somewhere is parsed: until then the caller has proven nothing.
  if (!holds(written, secret)) return { kind: "refused", why: WRONG };
  const inBody = present([text(readObject(request.body)?.passkey)]);
  return holds(inBody, secret) ? { kind: "authentic" } : { kind: "refused", why: WRONG };
}

/** What may be a `passkey` in a body that is not parsed yet. */
function passkeysWritten(body: Buffer): string[] {
  const found = body.toString("utf8").matchAll(/"passkey"\s*:\s*("(?:[^"\\]|\\.){0,1000}")/g);
  return present([...found].slice(0, PASSKEYS_MAX).map(([, quoted]) => unquoted(quoted)));
}

function unquoted(quoted = ""): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

function secretsIn({ url, headers }: WebhookRequest): string[] {
  const query = new URLSearchParams(url.split("#")[0]?.split("?")[1] ?? "");
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const inQuery = ["secret", "token", "passkey"].map((name) => query.get(name));
  return present([...inQuery, headers["x-wati-secret"], bearer]);
}

function present(secrets: readonly (string | null | undefined)[]): string[] {
  return secrets.filter((secret) => typeof secret === "string" && secret !== "") as string[];
}

/** Each is compared to the end: which place held the right secret must not show in the time it takes. */
function holds(given: readonly string[], secret: string): boolean {
  return given.map((each) => sameSecret(each, secret)).includes(true);
}
