import { anything, type Infer, list, name, object, optional, someText } from "../core/schema.ts";
import { InvalidRequest } from "../errors.ts";
import type { WindowConfig } from "../runtime/config.ts";
import type { CreateRequest } from "../runtime/create-conversation.ts";
import { CREATED_CONVERSATION, WINDOW } from "./api-schemas.ts";
import { type ApiCall, type ApiResult, ok, route } from "./route.ts";

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

async function create({ service, body: given, note }: ApiCall<Given>): Promise<ApiResult> {
  if (given.channel === undefined && given.channel_type === undefined)
    throw new InvalidRequest("channel or channel_type is missing");
  const result = await service.createConversation(requestFrom(given), note);
  return ok(result, result.created ? 201 : 200);
}

function requestFrom(given: Given): CreateRequest {
  const { channel_type, sender_alias, window, allowed_channels, first_message, ...same } = given;
  return {
    ...same,
    ...(channel_type !== undefined && { channelType: channel_type }),
    ...(sender_alias !== undefined && { senderAlias: sender_alias }),
    ...(window && { window: windowFrom(window) }),
    ...(allowed_channels && { allowedChannels: allowed_channels }),
    ...(first_message !== undefined && { firstMessage: first_message }),
    author: "api",
  };
}

/** In the words of the API: the same is checked of every caller, in the library's. */
function windowFrom(given: Infer<typeof WINDOW>): WindowConfig {
  const { seconds, quiet_seconds: quietSeconds, max_seconds: maxSeconds } = given;
  if (seconds !== undefined && quietSeconds === undefined) return { seconds };
  if (seconds !== undefined || quietSeconds === undefined)
    throw new InvalidRequest("window needs either seconds, or quiet_seconds with or without max_seconds");
  if (maxSeconds !== undefined && maxSeconds < quietSeconds)
    throw new InvalidRequest("window.max_seconds must not be less than quiet_seconds");
  return { quietSeconds, ...(maxSeconds !== undefined && { maxSeconds }) };
}
