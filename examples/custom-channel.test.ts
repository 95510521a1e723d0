// How to test a channel of your own: the list of cases that Lull's own channels pass, too.
//
//   npx vitest run examples/custom-channel.test.ts

import { environmentSecrets, type WebhookRequest } from "lull";
import { type ChannelHarness, channelContract } from "lull/testing";
import { test } from "vitest";
import { telegram } from "./custom-channel.ts";

const SECRET = "a-word-of-your-own";

function posted(update: unknown, secret = SECRET): WebhookRequest {
  const url = "https://bot.example.com/webhooks/telegram";
  const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret };
  return { method: "POST", url, headers, body: Buffer.from(JSON.stringify(update)) };
}

function update(id: number, text: string, isBot = false) {
  const person = { id: 7001, first_name: "Ana" };
  const chat = { ...person, type: "private" };
  const message = { message_id: id, date: 1_794_718_800, chat, from: { ...person, is_bot: isBot }, text };
  return { update_id: 900_000 + id, message };
}

const harness: ChannelHarness = {
  name: "telegram",
  family: "retrying",
  withoutProvider: "this example has no stand-in for Telegram's servers",
  async open() {
    const channel = telegram({ token: "1:token", secret: SECRET });
    channel.open?.({ name: "telegram", secrets: environmentSecrets(), nowMs: () => 1_794_718_800_000 });
    const reference = { turnId: "turn-1", chunk: 0 };
    return {
      channel,
      payloads: {
        text: posted(update(1, "hi")),
        "right to left": posted(update(2, "مرحبا")),
        emoji: posted(update(3, "👩‍👩‍👧 for three\ntomorrow")),
      },
      forgeries: {
        "a guessed secret": posted(update(4, "hi"), "a guess"),
        "no secret": posted(update(4, "hi"), ""),
      },
      ownEcho: posted(update(5, "hi", true)),
      outgoing: { to: "7001", from: "bot", text: "hello", reference, conversationId: "c_1" },
      close: async () => {},
    };
  },
};

for (const { title, skip, run } of channelContract(harness)) {
  test.skipIf(skip !== undefined)(title, run);
}
