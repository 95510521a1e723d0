import type { InboundMessage } from "../model/message.ts";
import type { WebhookRequest } from "../ports/channel.ts";

/** A message as the test channel reads it, with what is given in place of what it would say. */
export function testMessage(given: Partial<InboundMessage> = {}): InboundMessage {
  const sender = given.sender ?? "ana";
  return {
    providerId: "1",
    account: "test",
    address: "lull",
    sender,
    replyTo: sender,
    text: "hi",
    media: [],
    ...given,
  };
}

/** The webhook that brings these to the test channel. Not only messages: a test may bring what is none. */
export function testWebhook(...messages: readonly unknown[]): WebhookRequest {
  return { method: "POST", url: "http://test/", headers: {}, body: Buffer.from(JSON.stringify(messages)) };
}
