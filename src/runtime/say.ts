import { randomUUID } from "node:crypto";
import { addresseeOf } from "../core/addressee.ts";
import { SAYING_LIMITS } from "../core/defaults.ts";
import { mayBring } from "../core/own-addresses.ts";
import { projectAt, projectOf, settingsFor } from "../core/projects.ts";
import { ConfigError, InvalidRequest, LullError } from "../errors.ts";
import type { Conversation } from "../model/conversation.ts";
import type { ConversationDetail } from "../ports/inspector.ts";
import { type Infer, name, object, optional, text as someString, someText } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import { addressOn } from "./drafting.ts";
import { knownChannel } from "./known-channel.ts";
import { passedOn } from "./passed-on.ts";
import { replyTexts } from "./reply-texts.ts";
import type { UseCaseContext } from "./use-case.ts";

const FULL_RETRY_MS = 60_000;

export const SAY_REQUEST = object({
  conversationId: someString(),
  text: someText("What to say."),
  id: optional(name("Made by you: asking twice with the same id says it once in this conversation.")),
  channel: optional(name("Where the conversation may use several channels.")),
  author: name("Who says it, for the record."),
});

export interface SayRequest extends Infer<typeof SAY_REQUEST> {}

export type SayResult = "staged" | "duplicate" | "not-found";

/** What an operator or a program says in a conversation, as a turn of its own. */
export async function say(context: UseCaseContext, request: SayRequest): Promise<SayResult> {
  checkRequest(request, SAY_REQUEST);
  const { channels } = context;
  const { conversationId, text, author, id = randomUUID() } = request;
  if (request.channel !== undefined) knownChannel(channels, request.channel);
  const engine = await context.engine();
  const detail = await engine.inspector.conversation(conversationId, SAYING_LIMITS);
  if (!detail) return "not-found";
  const { conversation, lock } = detail;
  const over = request.channel ?? channelOf(context, detail);
  if (!isFor(context, over, conversation))
    throw new InvalidRequest(`channel ${over} is not one for this conversation`);
  const own = settingsFor(context.settings, over);
  if ((lock?.staged ?? 0) >= own.stagedMessagesMax) throw full(own.stagedMessagesMax);
  const channel = knownChannel(channels, over);
  const addressee = addresseeOf(conversation, await engine.inspector.names(conversation));
  if (addressee === undefined) throw passedOn();
  const to = addressOn(channel, addressee);
  const texts = replyTexts({ texts: [text] }, channel.textMax, own);
  return engine.conversations.say({ id, conversationId, channel: over, to, addressee, texts, author });
}

/**
 * The one that was used last, of those that there still are, or any of the conversation's type that has its
 * address.
 */
function channelOf(context: UseCaseContext, { conversation, staged, turns }: ConversationDetail): string {
  const { channels } = context;
  const { channelType, address } = conversation;
  const used = [...turns, ...staged].map(({ channel }) => channel);
  const ofType = Object.keys(channels).filter(
    (name) => channels[name]?.type === channelType && mayBring(channels, name, address),
  );
  const isOurs = (name: string) => Object.hasOwn(channels, name) && isFor(context, name, conversation);
  const name = used.findLast(isOurs) ?? ofType[0];
  if (name !== undefined) return name;
  throw new ConfigError(`no channel of type ${channelType} for our address ${address} is configured`);
}

/**
 * Of the conversation's type, the channel that has its address; of another type, any of its project: else a
 * customer would hear from a number, or a tenant, that they never wrote to. Rows of other systems may have no
 * address.
 */
function isFor({ channels, settings }: UseCaseContext, name: string, conversation: Conversation): boolean {
  const { channelType, address } = conversation;
  if (channels[name]?.type === channelType && address !== "") return mayBring(channels, name, address);
  return projectOf(settings, name) === projectAt(settings, conversation);
}

function full(max: number): LullError {
  return new LullError(`${max} messages wait in this conversation already`, {
    code: "RATE_LIMITED",
    retry: "later",
    retryAfterMs: FULL_RETRY_MS,
  });
}
