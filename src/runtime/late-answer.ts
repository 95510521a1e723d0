import { conversationWithin } from "../core/identity.ts";
import { mayBring } from "../core/own-addresses.ts";
import { settingsFor } from "../core/projects.ts";
import { effectsOf, knownIn, REPLY } from "../core/reply.ts";
import type { FullReply } from "../model/reply.ts";
import type { OwnSettings } from "../model/settings.ts";
import type { Conversations } from "../ports/conversations.ts";
import { adapted, anything, object, optional, text } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import { readReply } from "./read-reply.ts";
import { replyTexts } from "./reply-texts.ts";
import type { UseCaseContext } from "./use-case.ts";

/** An invalid count adds nothing, as in a responder's reply. */
const LATE_REPLY = adapted(REPLY, { usage: optional(anything()), queued: null, laterSeconds: null });
const REQUEST = object({ turnId: text(), reply: LATE_REPLY });

/**
 * Through which of its channels a conversation is answered is known to the store only: the shortest limit of
 * those that it may use fits every one. They are of one project, whose settings count.
 */
async function limitsOf(
  { channels, settings }: UseCaseContext,
  conversations: Conversations,
  turnId: string,
): Promise<{ textMax: number; own: OwnSettings }> {
  const id = conversationWithin(turnId);
  const conversation = id === undefined ? undefined : await conversations.get(id);
  const mayUse = Object.keys(channels).filter(
    (name) =>
      !conversation ||
      (channels[name]?.type === conversation.channelType && mayBring(channels, name, conversation.address)),
  );
  const names = mayUse.length > 0 ? mayUse : Object.keys(channels);
  const textMax = Math.min(...names.map((name) => channels[name]!.textMax));
  return { textMax, own: settingsFor(settings, conversation && names[0]) };
}

/** The answer of a responder that had said `laterSeconds`. */
export async function answerLate(
  context: UseCaseContext,
  turnId: string,
  reply: FullReply,
): Promise<"accepted" | "stale"> {
  checkRequest({ turnId, reply: knownIn(reply, LATE_REPLY) }, REQUEST);
  const answer = readReply(reply);
  if (answer.kind === "later") return "stale";
  const { conversations } = await context.engine();
  const { textMax, own } = await limitsOf(context, conversations, turnId);
  const { texts, media } = answer;
  return conversations.answer({
    turnId,
    texts: replyTexts({ texts, media }, textMax, own),
    ...(media.length > 0 && { media }),
    ...effectsOf(answer),
  });
}
