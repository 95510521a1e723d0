import type { Conversation } from "../model/conversation.ts";
import { isObject } from "../schema/is-object.ts";

type Recorded = Pick<Conversation, "attributes">;

/** Which credentials the system that opened the conversation wants used: `whatsapp_credentials_id`. */
export function credentialsIdIn({ attributes }: Recorded, channelType: string): string | undefined {
  return textIn(attributes.channel_config, `${channelType}_credentials_id`);
}

/** The key to the model that it wants used. */
export function apiKeyIdIn({ attributes }: Recorded): string | undefined {
  return textIn(attributes.ai_config, "ai_api_key_reference");
}

/**
 * The assistant that answers replies. Systems have it under either name, beside their other configuration or
 * in the row itself: the one that is for replies counts before one that may be for first messages.
 */
export function assistantIdIn({ attributes }: Recorded): string | undefined {
  const { ai_config: config } = attributes;
  for (const key of ["assistant_id_replies", "assistant_id"]) {
    const id = textIn(config, key) ?? textIn(attributes, key);
    if (id !== undefined) return id;
  }
  return undefined;
}

function textIn(config: unknown, key: string): string | undefined {
  const value = isObject(config) ? config[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
