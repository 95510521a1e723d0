import { either, flag, list, object, open, someText, text } from "../core/schema.ts";
import { isObject } from "../core/shape.ts";
import type { FullReply } from "../model/reply.ts";
import { checkRequest } from "./check-request.ts";
import { readReply } from "./read-reply.ts";
import { replyTexts } from "./reply-texts.ts";
import type { UseCaseContext } from "./use-case.ts";

/** Fields that are not ours are let be, as in a responder's reply: it may be all that a model returned. */
const REQUEST = object({
  turnId: text(),
  reply: open({
    text: either(text(), list(text())),
    media: list(open({ url: someText(), contentType: someText() }, ["url", "contentType"])),
    usage: open({}),
    complete: flag(),
    handOff: text(),
  }),
});

/** The answer of a responder that had said `laterSeconds`. */
export async function answerLate(
  { engine, channels, settings }: UseCaseContext,
  turnId: string,
  reply: FullReply,
): Promise<"accepted" | "stale"> {
  checkRequest({ turnId, reply: withoutNulls(reply) }, REQUEST);
  const answer = readReply(reply);
  if (answer.kind === "later") return "stale";
  // Its channel is known to the store only; the shortest limit of all fits every one.
  const textMax = Math.min(...Object.values(channels).map((channel) => channel.textMax));
  const { texts, media, usage, complete, handOff } = answer;
  return (await engine()).conversations.answer({
    turnId,
    texts: replyTexts({ texts, media }, textMax, settings),
    ...(media.length > 0 && { media }),
    ...(usage && { usage }),
    ...(complete !== undefined && { complete }),
    ...(handOff !== undefined && { handOff }),
  });
}

/** `null` is what plain JavaScript says for "none". */
function withoutNulls(reply: unknown): unknown {
  if (!isObject(reply)) return reply;
  return Object.fromEntries(Object.entries(reply).filter(([, value]) => value !== null));
}
