import type { Media } from "../model/message.ts";
import type { FullReply, Reply, Usage } from "../model/reply.ts";
import { LATER_MS_MAX, LATER_MS_MIN } from "./defaults.ts";
import { shortReason } from "./reason.ts";

/** What a responder's return value means. */
export type Answer =
  | {
      readonly kind: "answer";
      readonly texts: readonly string[];
      readonly media: readonly Media[];
      readonly usage?: Usage;
      readonly complete?: boolean;
      readonly handOff?: string;
      readonly queued?: true;
    }
  | { readonly kind: "later"; readonly afterMs: number };

/** Accepts every form of a reply. No text and no media is an answer too: no reply is sent. */
export function answerFrom(reply: Reply): Answer {
  // `null` is what plain JavaScript says for "none".
  const { text, media, usage, complete, handOff, queued, laterSeconds } = fullReply(reply);
  if (laterSeconds != null) return { kind: "later", afterMs: laterMs(laterSeconds) };
  return {
    kind: "answer",
    texts: textsOf(text),
    media: (media ?? []).map(mediaOf),
    ...(usage && { usage: usageOf(usage) }),
    ...(complete != null && { complete: Boolean(complete) }),
    ...(handOff != null && { handOff: shortReason(String(handOff)) }),
    ...(queued && { queued: true }),
  };
}

function fullReply(reply: Reply): FullReply {
  if (reply === null || reply === undefined) return {};
  if (typeof reply === "string" || Array.isArray(reply)) return { text: reply as string | readonly string[] };
  return reply as FullReply;
}

/**
 * What a responder returned that is no reply at all. Silence is a valid answer, so this must not be taken for
 * silence: the customer would wait, and no operator would learn of it.
 */
export function oddReply(reply: unknown): string | undefined {
  if (reply === null || reply === undefined || typeof reply === "string" || Array.isArray(reply))
    return undefined;
  if (typeof reply !== "object") return `the responder returned a ${typeof reply}`;
  const names = Object.keys(reply);
  const isReply =
    names.length === 0 ? Object.getPrototypeOf(reply) === Object.prototype : names.some(isReplyField);
  return isReply ? undefined : "the responder returned an object that is no reply";
}

const REPLY_FIELDS = new Set(["text", "media", "usage", "complete", "handOff", "queued", "laterSeconds"]);

function isReplyField(name: string): boolean {
  return REPLY_FIELDS.has(name);
}

/** These fields and no others: the object may hold a whole client, and a draft is stored as JSON. */
function mediaOf({ url, contentType, name }: Media): Media {
  return { url: String(url), contentType: String(contentType), ...(name != null && { name: String(name) }) };
}

/** Summed up per conversation, for good: an invalid count adds nothing rather than spoil the sum. */
function usageOf({ promptTokens, completionTokens, totalTokens }: Usage): Usage {
  const [prompt, completion] = [tokens(promptTokens), tokens(completionTokens)];
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: tokens(totalTokens) || prompt + completion,
  };
}

/** Part of a token counts as one: what is kept, shown and documented are whole numbers. */
function tokens(count: number): number {
  return Number.isFinite(count) && count >= 0 && count <= Number.MAX_SAFE_INTEGER ? Math.ceil(count) : 0;
}

/** Always a time that will come: a customer must not wait for an impossible date. */
function laterMs(seconds: number): number {
  return Math.min(Math.max(LATER_MS_MIN, seconds * 1_000 || 0), LATER_MS_MAX);
}

function textsOf(text: FullReply["text"]): string[] {
  const texts = typeof text === "string" ? [text] : (text ?? []);
  // Half a surrogate pair would be sent as another character and not be recognised in the provider's list.
  return texts.map((each) => String(each).toWellFormed()).filter((each) => each.trim() !== "");
}
