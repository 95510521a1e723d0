import type { FullReply } from "../model/reply.ts";
import { readReply } from "./read-reply.ts";
import { replyTexts } from "./reply-texts.ts";
import type { UseCaseContext } from "./use-case.ts";

/** The answer of a responder that had said `laterSeconds`. */
export async function answerLate(
  { engine, channels, settings }: UseCaseContext,
  turnId: string,
  reply: FullReply,
): Promise<"accepted" | "stale"> {
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
