import type { Media } from "../model/message.ts";
import { splitText } from "./chunks.ts";
import { REPLY_MEDIA_MAX } from "./defaults.ts";

export interface ReplyLimits {
  readonly replyBytesMax: number;
  readonly replyMessagesMax: number;
}

/** What is to be said, before it is split into messages. */
export interface Words {
  readonly texts: readonly string[];
  readonly media?: readonly Media[] | undefined;
}

export type ReplyPlan =
  /** The texts as the channel carries them, one per message. */
  | { readonly kind: "messages"; readonly texts: readonly string[] }
  | { readonly kind: "too-large"; readonly why: string };

/**
 * Into how many messages a reply goes, if it may go out at all. It is measured before it is split: each of
 * its messages is stored with all the others, again and again until the last is sent. A reply that is too
 * large is not cut: the customer would get half an answer and could not tell.
 */
export function planReply(words: Words, textMax: number, limits: ReplyLimits): ReplyPlan {
  const { texts, media = [] } = words;
  const { replyBytesMax, replyMessagesMax } = limits;
  const tooManyMessages = `more than ${replyMessagesMax} messages (replyMessagesMax)`;
  if (texts.length > replyMessagesMax) return tooLarge(tooManyMessages);
  if (media.length > REPLY_MEDIA_MAX) return tooLarge(`more than ${REPLY_MEDIA_MAX} media`);
  if (bytesOf(words) > replyBytesMax) return tooLarge(`more than ${replyBytesMax} bytes (replyBytesMax)`);
  const messages = texts.flatMap((text) => splitText(text, textMax));
  if (messages.length > replyMessagesMax) return tooLarge(tooManyMessages);
  return { kind: "messages", texts: messages };
}

function tooLarge(what: string): ReplyPlan {
  return { kind: "too-large", why: `the reply has ${what}` };
}

function bytesOf({ texts, media = [] }: Words): number {
  const words = [...texts, ...media.flatMap(({ url, contentType, name = "" }) => [url, contentType, name])];
  return words.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
}
