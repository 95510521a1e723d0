import { effectsOf, knownIn, REPLY } from "../core/reply.ts";
import type { FullReply } from "../model/reply.ts";
import { adapted, anything, object, optional, text } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import { readReply } from "./read-reply.ts";
import { replyTexts } from "./reply-texts.ts";
import type { UseCaseContext } from "./use-case.ts";

/** An invalid count adds nothing, as in a responder's reply. */
const LATE_REPLY = adapted(REPLY, { usage: optional(anything()), queued: null, laterSeconds: null });
const REQUEST = object({ turnId: text(), reply: LATE_REPLY });

/** The answer of a responder that had said `laterSeconds`. */
export async function answerLate(
  { engine, channels, settings }: UseCaseContext,
  turnId: string,
  reply: FullReply,
): Promise<"accepted" | "stale"> {
  checkRequest({ turnId, reply: knownIn(reply, LATE_REPLY) }, REQUEST);
  const answer = readReply(reply);
  if (answer.kind === "later") return "stale";
  // Its channel is known to the store only; the shortest limit of all fits every one.
  const textMax = Math.min(...Object.values(channels).map((channel) => channel.textMax));
  const { texts, media } = answer;
  return (await engine()).conversations.answer({
    turnId,
    texts: replyTexts({ texts, media }, textMax, settings),
    ...(media.length > 0 && { media }),
    ...effectsOf(answer),
  });
}
