import { foreignAddressIn } from "../../core/own-addresses.ts";
import type { SeedMessage } from "../../core/seed-rows.ts";
import type { WebhookRequest } from "../../ports/channel.ts";
import type { SeedItem } from "../../ports/seed-tables.ts";

/** What a lean row does not say. */
export interface Otherwise {
  /** The receiving account at the provider. */
  readonly account: string | undefined;
  /** Our address. */
  readonly address: string | undefined;
}

/**
 * The webhook that the provider sent for this message, as far as the rows tell: the channel itself then says
 * whose it is. Its account and id are those of the real one, so that a redelivery of that is a duplicate.
 */
export function webhookOf(
  { form, messageSid, primaryChannel }: SeedMessage,
  conversation: SeedItem,
  { type, account, address }: Otherwise & { readonly type: string },
): WebhookRequest {
  const prefixed = (number: string | undefined) =>
    type === "whatsapp" && number !== undefined && !/^[a-z]+:/.test(number) ? `whatsapp:${number}` : number;
  const said: Record<string, string | undefined> = {
    ...form,
    MessageSid: messageSid,
    AccountSid: form.AccountSid ?? account,
    From: prefixed(form.From ?? textIn(conversation.primary_channel) ?? primaryChannel),
    To: prefixed(form.To ?? foreignAddressIn(conversation) ?? address),
  };
  const entries = Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    method: "POST",
    url: "",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(new URLSearchParams(entries).toString()),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
