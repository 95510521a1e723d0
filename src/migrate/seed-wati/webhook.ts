import { isoOf } from "../../core/instant.ts";
import { MOVED_ID } from "../../core/moved.ts";
import type { WebhookRequest } from "../../ports/channel.ts";
import type { BufferedMessage } from "./rows.ts";

/**
 * The webhook that WATI would have sent for a buffered message to this number of ours: the channel itself
 * then says whose it is and how it is answered.
 */
export function webhookOf(message: BufferedMessage, id: string, address: string): WebhookRequest {
  const { waId, repliedTo, atMs } = message;
  const type = message.type.toLowerCase();
  const body = {
    eventType: "message",
    id: `${MOVED_ID}${id}`,
    waId,
    channelPhoneNumber: address,
    type,
    ...contentOf({ ...message, type }),
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

/** Types whose content is what the bot had of a file: all others are words, whatever they look like. */
const MEDIA = new Set(["image", "audio", "voice", "video", "document", "sticker", "file"]);

const MEDIA_URL = /^https?:(?=\/\/\S+$)/i;
const EXTENSION = /\.(?=\d*[a-z])[a-z0-9]{1,5}$/i;
const FROM_ROOT = /^(?:[a-z]:)?[\\/]|^(?:~|\.{1,2})[\\/]/i;

/**
 * Media are a URL of WATI's, or a file on the seed's machine, which can only be named. Not where it lay: an
 * answer may repeat that to the customer. Or what the bot had made of them, such as what was heard: words.
 */
function contentOf({ type, content, caption }: BufferedMessage): { text: string; data?: string } {
  const said = (...words: readonly string[]) => [caption, ...words].filter(Boolean).join("\n");
  if (!MEDIA.has(type)) return { text: said(content) };
  const isUrl = MEDIA_URL.test(content) && URL.canParse(content);
  // The channel knows the scheme as providers write it.
  if (isUrl) return { text: caption, data: content.replace(MEDIA_URL, (scheme) => scheme.toLowerCase()) };
  const name = fileNameIn(content.trim());
  if (name === undefined) return { text: said(content) };
  return { text: said(name === "" ? `[${type}]` : `[${type}: ${name}]`) };
}

/** Undefined where no two signs say that it is one: "24/12" has a slash as well, and a customer said it. */
function fileNameIn(content: string): string | undefined {
  if (content.includes("\n")) return undefined;
  const name = content.split(/[\\/]/).at(-1) ?? "";
  const signs = [FROM_ROOT.test(content), EXTENSION.test(name), !/\s/.test(content)];
  return signs.filter(Boolean).length >= 2 ? name : undefined;
}
