import { JSON_REPLY } from "../core/reply.ts";
import { adapted, object, optional, text } from "../schema/schema.ts";
import { count, ERROR, reason, result } from "./api-schemas.ts";
import { ok, type Route, refusal, route } from "./route.ts";

/** A reply, more strictly than from a program that may hand on all that a model returned. */
const ANSWER = adapted(JSON_REPLY, {
  text: optional(text("The reply. Leave out `text` and `messages` for no reply.")),
  usage: optional(
    object({ promptTokens: count(), completionTokens: count(), totalTokens: optional(count()) }),
  ),
  handOff: optional(reason("Hand the conversation to a human, for this reason.")),
  queued: null,
  laterSeconds: null,
});

export const TURN_ROUTES: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/turns/{id}/reply",
    operation: "replyToTurn",
    summary: "The late answer to a turn whose responder said that it would come later",
    forResponders: true,
    forProjects: true,
    body: ANSWER,
    answers: {
      202: { description: "Accepted", schema: result("accepted") },
      413: { description: "Too large to be sent; the turn goes on waiting", schema: ERROR },
      409: { description: "The turn is over, was asked again, or never waited", schema: ERROR },
    },
    run: async ({ service, id, body: { messages, usage, ...reply } }) => {
      const answered = await service.answerTurn(id, {
        ...reply,
        ...(messages && { text: messages }),
        ...(usage && { usage: { totalTokens: usage.promptTokens + usage.completionTokens, ...usage } }),
      });
      if (answered === "accepted") return ok({ result: answered }, 202);
      return refusal(409, "STALE_TURN", "the turn is over, was asked again, or never waited for an answer");
    },
  }),
];
