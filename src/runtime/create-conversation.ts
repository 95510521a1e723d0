import { ATTRIBUTES_BYTES_MAX } from "../core/defaults.ts";
import { isSameAddress, mayBring } from "../core/own-addresses.ts";
import { InvalidRequest } from "../errors.ts";
import type { Conversation } from "../model/conversation.ts";
import type { Channel } from "../ports/channel.ts";
import { anything, type Infer, list, name, object, optional, ruled, someText } from "../schema/schema.ts";
import { channelTypeProblem } from "./channel-types.ts";
import { checkRequest } from "./check-request.ts";
import { knownChannel } from "./known-channel.ts";
import type { SayRequest, SayResult } from "./say.ts";
import type { UseCaseContext } from "./use-case.ts";
import { WINDOW, windowPolicy } from "./window-config.ts";

/**
 * Who writes to which address of ours, over a named channel or any channel of a type, and what the
 * conversation starts with.
 */
export const CREATE_REQUEST = ruled(
  object({
    channel: optional(name("Name of a configured channel. Give this or `channelType`.")),
    channelType: optional(name("What rules speak of: `whatsapp`, `sms`, `web`, ...")),
    address: name("Our address that the customer writes to."),
    sender: name("The customer: a phone number, a mail address, a user id."),
    senderAlias: optional(
      name(
        "Another name of the same person, looked up too: " +
          "a number or mail address beside an id, or vice versa.",
      ),
    ),
    window: optional(WINDOW),
    allowedChannels: optional(list(name(), "Channel types; left out means all.")),
    attributes: optional(
      anything("Data of your own: carried, and read only where it names credentials or an assistant."),
    ),
    firstMessage: optional(someText("Said to the customer at once, and once per conversation.")),
    author: optional(name("Who says the first message; `program` when left out.")),
  }),
  ({ channel, channelType }, called) =>
    channel === undefined && channelType === undefined
      ? `${called("channel")} or ${called("channelType")} is missing`
      : undefined,
);

export interface CreateRequest extends Infer<typeof CREATE_REQUEST> {}

export interface CreateResult {
  /** False where the active conversation of the same sender and address was there already. */
  readonly created: boolean;
  readonly conversation: Conversation;
  /** What became of the first message, where there is one. */
  readonly firstMessage?: SayResult;
}

interface Saying {
  say(request: SayRequest): Promise<SayResult>;
}

/**
 * Creates a conversation, or finds the active one. `made` is told its id before anything is said in it: the
 * record of what was done (the audit log) has it even if the first message is refused.
 */
export async function createConversation(
  context: UseCaseContext & Saying,
  request: CreateRequest,
  made: (id: string) => void = () => {},
): Promise<CreateResult> {
  check(request);
  const channelType = typeOf(context.channels, request);
  requireTypes(context.channels, request);
  const channel = channelBringing(context.channels, channelType, request);
  const { senderAlias, allowedChannels, attributes } = request;
  const canonical = (name: string) => channel.canonical?.(name) ?? name;
  const asked = {
    channelType,
    address: canonical(ownAddress(channel, request.address)),
    sender: canonical(request.sender),
    ...(senderAlias !== undefined && { senderAlias: canonical(senderAlias) }),
    ...(request.window && { window: windowPolicy(request.window, "window") }),
    ...(allowedChannels && { allowedChannels }),
    ...(attributes && { attributes }),
  };
  const { conversations } = await context.engine();
  const found = await conversations.create(asked);
  made(found.conversation.id);
  if (request.firstMessage === undefined) return found;
  return { ...found, firstMessage: await greet(context, found.conversation.id, request) };
}

function check(request: CreateRequest): void {
  checkRequest(request, CREATE_REQUEST);
  if (Buffer.byteLength(JSON.stringify(request.attributes ?? {})) > ATTRIBUTES_BYTES_MAX)
    throw new InvalidRequest(`attributes must have ${ATTRIBUTES_BYTES_MAX} bytes at most`);
}

function typeOf(channels: UseCaseContext["channels"], { channel, channelType: type }: CreateRequest): string {
  if (channel !== undefined) {
    const { type: own } = knownChannel(channels, channel);
    if (type === undefined || type === own) return own;
    throw new InvalidRequest(`channel ${channel} is of type ${own}, not ${type}`);
  }
  const types = [...new Set(Object.values(channels).map((each) => each.type))];
  if (type !== undefined && types.includes(type)) return type;
  throw new InvalidRequest(`no channel of this type is configured; there are ${types.join(", ")}`);
}

/** Otherwise a conversation would be made that no message reaches, and in which nothing can be said. */
function channelBringing(
  channels: UseCaseContext["channels"],
  type: string,
  { channel, address }: CreateRequest,
): Channel {
  const ofType = Object.keys(channels).filter((name) => channels[name]?.type === type);
  const names = channel === undefined ? ofType : [channel];
  const found = names.find((name) => mayBring(channels, name, address));
  if (found !== undefined) return channels[found]!;
  const known = names.flatMap((name) => channels[name]?.addresses ?? []);
  throw new InvalidRequest(`address is none of ours on this channel; there are ${known.join(", ")}`);
}

function requireTypes(channels: UseCaseContext["channels"], { allowedChannels = [] }: CreateRequest): void {
  const problem = channelTypeProblem(allowedChannels, channels);
  if (problem !== undefined) throw new InvalidRequest(`allowed channels: ${problem}`);
}

/** As the channel names it: its messages bear no other form of it. */
function ownAddress({ addresses = [] }: Channel, address: string): string {
  return addresses.find((own) => isSameAddress(own, address)) ?? address;
}

/** The id follows from the conversation: a caller that lost the answer and asks again greets once. */
function greet(
  { say }: Saying,
  conversationId: string,
  { firstMessage: text = "", author = "program", channel }: CreateRequest,
) {
  const id = `first-${conversationId}`;
  return say({ conversationId, text, author, id, ...(channel !== undefined && { channel }) });
}
