import { signedWebhook } from "../src/testing/fake-twilio-webhook.ts";
import { eventually } from "./lull-process.ts";

/** Writes lines in a row to a `web` channel and returns what is answered. */
export async function chat(
  url: string,
  lines: readonly string[],
  { channel = "web", sender = "visitor-one" } = {},
): Promise<string[]> {
  await write(url, lines, { channel, sender });
  return eventually("an answer", async () => {
    const said = await answersTo(url, { channel, sender });
    return said.length > 0 ? said : undefined;
  });
}

export async function write(
  url: string,
  lines: readonly string[],
  { channel = "web", sender = "visitor-one" } = {},
): Promise<void> {
  const headers = { "content-type": "application/json" };
  for (const [n, text] of lines.entries()) {
    const body = JSON.stringify({ id: `${sender}-${n}`, sender, text });
    const answer = await fetch(`${url}/webhooks/${channel}`, { method: "POST", headers, body });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  }
}

export async function answersTo(
  url: string,
  { channel = "web", sender = "visitor-one" } = {},
): Promise<string[]> {
  const feed = await fetch(`${url}/webhooks/${channel}/feed?sender=${sender}`);
  const { messages } = (await feed.json()) as { messages: { role: string; text: string }[] };
  return messages.filter(({ role }) => role === "assistant").map(({ text }) => text);
}

export interface Line {
  /** Where the service listens, and what Twilio was told. */
  readonly url: string;
  readonly publicUrl: string;
  readonly accountSid: string;
  readonly authToken: string;
}

/** A customer writes lines in a row to a WhatsApp number; Twilio posts and signs each. */
export async function textTo(number: string, lines: readonly string[], at: Line): Promise<void> {
  for (const [n, Body] of lines.entries()) {
    const params = {
      AccountSid: at.accountSid,
      Body,
      From: "whatsapp:+15550123",
      MessageSid: `SM${String(n).padStart(32, "0")}`,
      NumMedia: "0",
      To: `whatsapp:${number}`,
    };
    const webhook = { url: `${at.publicUrl}/webhooks/whatsapp`, authToken: at.authToken, params };
    const post = { method: "POST", ...signedWebhook(webhook) };
    const { status } = await fetch(`${at.url}/webhooks/whatsapp`, post);
    if (status !== 200) throw new Error(`the webhook answered ${status}`);
  }
}
