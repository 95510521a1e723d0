import { isoOf } from "../../core/instant.ts";
import type { WebhookRequest } from "../../ports/channel.ts";
import type { BufferedMessage } from "./rows.ts";

/** What the ids of moved messages begin with: they are not WATI's own. */
export const SEED_ID = "seed-wati-";

/**
 * The webhook that WATI would have sent for a buffered message to this number of ours: the channel itself
 * then says whose it is and how it is answered.
 */
export function webhookOf(message: BufferedMessage, id: string, address: string): WebhookRequest {
  const { waId, type, repliedTo, atMs } = message;
  const body = {
    eventType: "message",
    id: `${SEED_ID}${id}`,
    waId,
    channelPhoneNumber: address,
    type,
    ...contentOf(message),
    ...(repliedTo !== "" && { replyContextId: repliedTo }),
    ...(atMs !== undefined && { created: isoOf(atMs) }),
  };
  return {
    method: "POST",
    url: "",
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/**
 * Media are a URL of WATI's, or a file on the seed's machine, which can only be named. Not where it lay: an
 * answer may repeat that to the customer.
 */
function contentOf({ type, content, caption }: BufferedMessage): { text: string; data?: string } {
  if (type === "text") return { text: content };
  if (/^https?:\/\//.test(content) && URL.canParse(content)) return { text: caption, data: content };
  const name = content.split(/[\\/]/).at(-1);
  return { text: [caption, name ? `[${type}: ${name}]` : `[${type}]`].filter(Boolean).join("\n") };
}
