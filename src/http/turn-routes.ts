import { flag, type Infer, list, object, optional, options, someText, text } from "../core/schema.ts";
import { InvalidRequest } from "../errors.ts";
import type { Media } from "../model/message.ts";
import type { FullReply, Usage } from "../model/reply.ts";
import { count, ERROR, reason, result } from "./api-schemas.ts";
import { type ApiCall, type ApiResult, ok, type Route, refusal, route } from "./route.ts";

const ANSWER = options({
  text: text("The reply. Leave out `text` and `messages` for no reply."),
  messages: list(text(), "Several messages, sent one after the other, instead of `text`."),
  media: list(object({ url: someText(), content_type: someText(), name: optional(text()) })),
  usage: object({ prompt_tokens: count(), completion_tokens: count(), total_tokens: optional(count()) }),
  complete: flag("The task is done: the customer's next message opens a new conversation."),
  hand_off: reason("Hand the conversation to a human, for this reason."),
});

type Given = Infer<typeof ANSWER>;

const REPLY = route({
  method: "POST",
  path: "/api/turns/{id}/reply",
  operation: "replyToTurn",
  summary: "The late answer to a turn whose responder said that it would come later",
  forResponders: true,
  body: ANSWER,
  answers: {
    202: { description: "Accepted", schema: result("accepted") },
    413: { description: "Too large to be sent; the turn goes on waiting", schema: ERROR },
    409: { description: "The turn is over, was asked again, or never waited", schema: ERROR },
  },
  run: reply,
});

export const TURN_ROUTES: readonly Route[] = [REPLY];

async function reply({ service, id, body }: ApiCall<Given>): Promise<ApiResult> {
  const answered = await service.answerTurn(id, replyFrom(body));
  if (answered === "accepted") return ok({ result: answered }, 202);
  return refusal(409, "STALE_TURN", "the turn is over, was asked again, or never waited for an answer");
}

function replyFrom(given: Given): FullReply {
  if (given.text !== undefined && given.messages) throw new InvalidRequest("give text or messages, not both");
  const said = given.text ?? given.messages;
  return {
    ...(said !== undefined && { text: said }),
    ...(given.media && { media: given.media.map(mediaFrom) }),
    ...(given.usage && { usage: usageFrom(given.usage) }),
    ...(given.complete !== undefined && { complete: given.complete }),
    ...(given.hand_off !== undefined && { handOff: given.hand_off }),
  };
}

function mediaFrom({ url, content_type: contentType, name }: NonNullable<Given["media"]>[number]): Media {
  return { url, contentType, ...(name !== undefined && { name }) };
}

function usageFrom(given: NonNullable<Given["usage"]>): Usage {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = given;
  return {
    promptTokens,
    completionTokens,
    totalTokens: given.total_tokens ?? promptTokens + completionTokens,
  };
}
