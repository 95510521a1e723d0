import type { Media } from "../model/message.ts";
import type { AnswerEffects, FullReply, Reply, Usage } from "../model/reply.ts";
import { isObject } from "../schema/is-object.ts";
import {
  adapted,
  either,
  flag,
  list,
  number,
  object,
  optional,
  options,
  ruled,
  type Schema,
  someText,
  text,
} from "../schema/schema.ts";
import { LATER_MS_MAX, LATER_MS_MIN } from "./defaults.ts";
import { shortReason } from "./reason.ts";

/** Whatever a number says, the reply goes out: what it means is decided below. */
const ANY = number({ maximum: Number.MAX_VALUE });

/** A full reply, as programs without our types write it. */
export const REPLY = options({
  text: either(text(), list(text())),
  media: list(object({ url: someText(), contentType: someText(), name: optional(text()) })),
  usage: options({ promptTokens: ANY, completionTokens: ANY, totalTokens: ANY }),
  complete: flag("The task is done: the customer's next message opens a new conversation."),
  handOff: text(),
  queued: flag(),
  laterSeconds: ANY,
});

/** The same in JSON, which has another word for several texts. */
export const JSON_REPLY = ruled(
  adapted(REPLY, {
    messages: optional(list(text(), "Several messages, sent one after the other, instead of `text`.")),
  }),
  ({ text, messages }, called) =>
    text !== undefined && messages !== undefined
      ? `give ${called("text")} or ${called("messages")}, not both`
      : undefined,
);

/** What the schema knows of a reply. The rest may be all that a model returned; `null` says "none". */
export function knownIn(value: unknown, schema: Schema, fieldIn = fieldOf): unknown {
  if (schema.type === "array" && Array.isArray(value))
    return value.map((each) => knownIn(each, schema.items, fieldIn));
  if (schema.type !== "object" || !schema.properties || !isObject(value)) return value;
  const known = Object.entries(schema.properties).map(([key, each]) => {
    return [key, knownIn(fieldIn(value, key), each, fieldIn)];
  });
  return Object.fromEntries(known.filter(([, each]) => each != null));
}

function fieldOf(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  return fields[key];
}

/** What a responder's return value means. */
export type Answer =
  | (AnswerEffects & {
      readonly kind: "answer";
      readonly texts: readonly string[];
      readonly media: readonly Media[];
      readonly queued?: true;
    })
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

/** The effects of an answer alone, as a draft or a commit carries them on. */
export function effectsOf({ usage, complete, handOff }: AnswerEffects): AnswerEffects {
  return {
    ...(usage && { usage }),
    ...(complete !== undefined && { complete }),
    ...(handOff !== undefined && { handOff }),
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
    names.length === 0
      ? Object.getPrototypeOf(reply) === Object.prototype
      : names.some((name) => Object.hasOwn(REPLY.properties!, name));
  return isReply ? undefined : "the responder returned an object that is no reply";
}

/** These fields and no others: the object may hold a whole client, and a draft is stored as JSON. */
function mediaOf({ url, contentType, name }: Media): Media {
  return { url: String(url), contentType: String(contentType), ...(name != null && { name: String(name) }) };
}

/** As a program without our types may give it. */
type Unchecked<T> = { readonly [K in keyof T]?: unknown };

/** Summed up per conversation, for good: an invalid count adds nothing rather than spoil the sum. */
export function usageOf({ promptTokens, completionTokens, totalTokens }: Unchecked<Usage>): Usage {
  const [prompt, completion] = [tokens(promptTokens), tokens(completionTokens)];
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: tokens(totalTokens) || prompt + completion,
  };
}

/** Part of a token counts as one: what is kept, shown and documented are whole numbers. */
function tokens(count: unknown): number {
  const isCount = typeof count === "number" && count >= 0 && count <= Number.MAX_SAFE_INTEGER;
  return isCount ? Math.ceil(count) : 0;
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
