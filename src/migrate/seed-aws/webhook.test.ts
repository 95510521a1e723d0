import { expect, it } from "vitest";
import { seedMessage } from "../../core/seed-rows.ts";
import { webhookOf } from "./webhook.ts";

const SID = `SM${"1".repeat(32)}`;
const KEY = { conversation_id: "conv-1", message_sid: SID, primary_channel: "+15550111", body: "hi" };
const OTHERWISE = { type: "whatsapp", account: "AC-said", address: "+15550106" };

/** What the webhook says of our number and account. */
function saidOf(row: object, conversation: object = {}) {
  const message = seedMessage({ ...KEY, ...row });
  if (message.kind !== "message") throw new Error(message.why);
  const { body } = webhookOf(message, { ...KEY, ...conversation }, OTHERWISE);
  const form = new URLSearchParams(Buffer.from(body).toString());
  return [form.get("To"), form.get("AccountSid")];
}

/** In the order in which they count: each without those before it. */
it("our number and account are taken from what is nearest to the message", () => {
  const raw = { raw_message_data: "To=whatsapp%3A%2B15550103&AccountSid=AC-raw" };
  const context = { context_object: { to: "whatsapp:+15550102", account_sid: "AC-context" }, ...raw };
  const row = { to: "whatsapp:+15550101", account_sid: "AC-row", ...context };
  expect(saidOf(row)).toEqual(["whatsapp:+15550101", "AC-row"]);
  expect(saidOf(context)).toEqual(["whatsapp:+15550102", "AC-context"]);
  expect(saidOf(raw, { address: "+15550109" })).toEqual(["whatsapp:+15550103", "AC-raw"]);
});

it("a lean row's number is its conversation's, then the one that was said", () => {
  const config = { sender: "whatsapp:+15550102", whatsapp_sender: "+15550103", from: "+15550104" };
  const to = (conversation: object) => saidOf({}, conversation)[0];
  expect(to({ address: "+15550101", channel_config: config })).toBe("whatsapp:+15550101");
  expect(to({ channel_config: config })).toBe("whatsapp:+15550102");
  expect(to({ channel_config: { ...config, sender: "" } })).toBe("whatsapp:+15550103");
  expect(to({ channel_config: { from: config.from } })).toBe("whatsapp:+15550104");
  expect(to({ channel_config: "none" })).toBe("whatsapp:+15550106");
});

it("no field of channel_config is an account: a lean row's is the one that was said", () => {
  const channel_config = { account_sid: "AC-config", whatsapp_credentials_id: "secret/whatsapp" };
  expect(saidOf({}, { channel_config })[1]).toBe("AC-said");
});
