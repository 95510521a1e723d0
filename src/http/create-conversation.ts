import { ATTRIBUTES_BYTES_MAX } from "../core/defaults.ts";
import { anything, type Infer, list, object, optional, someText } from "../core/schema.ts";
import type { WindowPolicy } from "../model/window.ts";
import type { Channel } from "../ports/channel.ts";
import { windowPolicy } from "../runtime/config.ts";
import type { Service } from "../runtime/service.ts";
import { CREATED_CONVERSATION, name, WINDOW } from "./api-schemas.ts";
import { type ApiCall, type ApiResult, BadRequest, ok, route } from "./route.ts";

const NEW = object({
  channel: optional(name("Name of a configured channel. Give this or `channel_type`.")),
  channel_type: optional(name("What rules speak of: `whatsapp`, `sms`, `web`, ...")),
  address: name("Our address that the customer writes to."),
  sender: name("The customer: a phone number, a mail address, a user id."),
  sender_alias: optional(
    name(
      "Another name of the same person, looked up too: a number or mail address beside an id, or vice versa.",
    ),
  ),
  window: optional(WINDOW),
  allowed_channels: optional(list(name(), "Channel types; left out means all.")),
  attributes: optional(anything("Data of your own: carried, never read.")),
  first_message: optional(someText("Said to the customer at once, and once per conversation.")),
});

type Given = Infer<typeof NEW>;

export const CREATE_CONVERSATION = route({
  method: "POST",
  path: "/api/conversations",
  operation: "createConversation",
  summary: "Creates a conversation, or finds the active one of the same sender and address",
  body: NEW,
  answers: {
    201: { description: "Created", schema: CREATED_CONVERSATION },
    200: { description: "It was there already", schema: CREATED_CONVERSATION },
  },
  run: create,
});

async function create({ service, engine, body: given, note }: ApiCall<Given>): Promise<ApiResult> {
  if (bytesOf(given.attributes) > ATTRIBUTES_BYTES_MAX)
    throw new BadRequest(`attributes must have ${ATTRIBUTES_BYTES_MAX} bytes at most`);
  const { created, conversation } = await engine.conversations.create({
    channelType: channelType(service, given),
    address: given.address,
    sender: given.sender,
    ...(given.sender_alias !== undefined && { senderAlias: given.sender_alias }),
    ...(given.window && { window: windowFrom(given.window) }),
    ...(given.allowed_channels && { allowedChannels: given.allowed_channels }),
    ...(given.attributes && { attributes: given.attributes }),
  });
  note(conversation.id);
  const firstMessage =
    given.first_message && (await sayFirst(service, conversation.id, given.first_message, given.channel));
  return ok({ created, conversation, firstMessage }, created ? 201 : 200);
}

function bytesOf(attributes: Given["attributes"] = {}): number {
  return Buffer.byteLength(JSON.stringify(attributes));
}

/**
 * The id is derived from the conversation: a caller that lost the answer and asks again does not greet twice.
 */
function sayFirst(service: Service, conversationId: string, text: string, channel: string | undefined) {
  const id = `first-${conversationId}`;
  return service.say({ conversationId, text, author: "api", id, ...(channel !== undefined && { channel }) });
}

function channelType(service: Service, { channel, channel_type: type }: Given): string {
  if (channel !== undefined) {
    const { type: own } = knownChannel(service, channel);
    if (type !== undefined && type !== own)
      throw new BadRequest(`channel ${channel} is of type ${own}, not ${type}`);
    return own;
  }
  const types = [...new Set(Object.values(service.channels).map((each) => each.type))];
  if (type === undefined) throw new BadRequest("channel or channel_type is missing");
  if (!types.includes(type))
    throw new BadRequest(`no channel of this type is configured; there are ${types.join(", ")}`);
  return type;
}

export function knownChannel(service: Service, name: string): Channel {
  const channel = Object.hasOwn(service.channels, name) ? service.channels[name] : undefined;
  if (channel) return channel;
  throw new BadRequest(
    `there is no channel of this name; there are ${Object.keys(service.channels).join(", ")}`,
  );
}

function windowFrom(given: Infer<typeof WINDOW>): WindowPolicy {
  const { seconds, quiet_seconds: quietSeconds, max_seconds: maxSeconds } = given;
  if ((seconds === undefined) === (quietSeconds === undefined)) {
    throw new BadRequest("window needs either seconds, or quiet_seconds with or without max_seconds");
  }
  if (seconds !== undefined) return windowPolicy({ seconds }, "window");
  if (maxSeconds !== undefined && maxSeconds < (quietSeconds ?? 0)) {
    throw new BadRequest("window.max_seconds must not be less than quiet_seconds");
  }
  return windowPolicy(
    { quietSeconds: quietSeconds ?? 0, ...(maxSeconds !== undefined && { maxSeconds }) },
    "window",
  );
}
