// A channel that Lull does not bring: Telegram. A channel is verify, parse, answer and send; Lull does the rest.
//
//   TELEGRAM_TOKEN=... TELEGRAM_SECRET=... npx lull start --config examples/custom-channel.ts
//
// Tell Telegram once: setWebhook with url=https://bot.example.com/webhooks/telegram and secret_token=<TELEGRAM_SECRET>.

import { timingSafeEqual } from "node:crypto";
import {
  type Channel,
  defineConfig,
  type SecretReference,
  type Secrets,
  type SendOutcome,
  statusOf,
} from "lull";

export interface TelegramOptions {
  readonly token: SecretReference;
  readonly secret: SecretReference;
  readonly apiUrl?: string;
}

interface Update {
  readonly update_id: number;
  readonly message?: { date: number; text?: string; chat: { id: number }; from?: { is_bot: boolean } };
}

export function telegram({ token, secret, apiUrl = "https://api.telegram.org" }: TelegramOptions): Channel {
  let secrets: Secrets;
  return {
    type: "telegram",
    textMax: 4096, // a longer reply is sent in pieces
    open(context) {
      secrets = context.secrets;
    },
    // Who calls? Telegram repeats the secret that setWebhook was given.
    async verify({ headers }) {
      const given = Buffer.from(headers["x-telegram-bot-api-secret-token"] ?? "");
      const expected = Buffer.from(await secrets.get(secret));
      if (given.length === expected.length && timingSafeEqual(given, expected)) return { kind: "authentic" };
      return { kind: "refused", why: "the secret token is missing or wrong" };
    },
    // What does it say? "Not for us" and "broken" are answers, too.
    parse({ body }) {
      const update = readUpdate(body);
      if (update === undefined) return { kind: "invalid", why: "not an update of Telegram" };
      const { message, update_id } = update;
      if (!message || message.from?.is_bot) return { kind: "ignored", why: "not a message of a person" };
      const chat = String(message.chat.id);
      const sentAtMs = message.date * 1_000;
      const told = { text: message.text ?? "", media: [], sentAtMs };
      // `providerId` is how a message that is delivered twice is recognised.
      const who = {
        providerId: String(update_id),
        account: "bot",
        address: "bot",
        sender: chat,
        replyTo: chat,
      };
      return { kind: "updates", messages: [{ ...who, ...told }], statuses: [] };
    },
    // Telegram tries everything but a 200 again, so only what a second try can mend is an error: the "retrying" family.
    answer({ code, retryAfterSeconds }) {
      const retry =
        retryAfterSeconds === undefined ? {} : { "retry-after": `${Math.ceil(retryAfterSeconds)}` };
      const headers = { "content-type": "text/plain", ...retry };
      return { status: statusOf(code, "retrying"), headers, body: code ?? "" };
    },
    async send({ to, text }, signal): Promise<SendOutcome> {
      const url = `${apiUrl}/bot${await secrets.get(token)}/sendMessage`;
      const request = { method: "POST", headers: { "content-type": "application/json" }, signal };
      try {
        const answer = await fetch(url, { ...request, body: JSON.stringify({ chat_id: to, text }) });
        return outcomeOf(answer.status, await answer.json());
      } catch (error) {
        const { code } = Object((error as Error).cause) as { code?: string };
        if (code === "ECONNREFUSED" || code === "ENOTFOUND")
          return { kind: "not-sent", retry: "later", why: code };
        // It may have gone out. Lull lists it as unknown rather than send it twice.
        return { kind: "unknown", why: "Telegram did not answer" };
      }
    },
  };
}

function outcomeOf(status: number, answer: unknown): SendOutcome {
  const { result, parameters } = answer as {
    result?: { message_id: number };
    parameters?: { retry_after?: number };
  };
  if (status === 200 && result) return { kind: "sent", providerId: String(result.message_id) };
  const why = `Telegram answered ${status}`;
  if (status >= 500) return { kind: "unknown", why };
  if (status !== 429) return { kind: "not-sent", retry: "never", why };
  return { kind: "not-sent", retry: "later", retryAfterMs: (parameters?.retry_after ?? 1) * 1_000, why };
}

function readUpdate(body: Buffer): Update | undefined {
  try {
    const update = JSON.parse(body.toString()) as Update;
    return Number.isInteger(update.update_id) ? update : undefined;
  } catch {
    return undefined;
  }
}

const { TELEGRAM_API_URL } = process.env; // for tests
const token = { env: "TELEGRAM_TOKEN" };
const secret = { env: "TELEGRAM_SECRET" };

export default defineConfig({
  channels: { telegram: telegram({ token, secret, ...(TELEGRAM_API_URL && { apiUrl: TELEGRAM_API_URL }) }) },
  window: { quietSeconds: 2 },
});
