import type { Conversation } from "../model/conversation.ts";
import { HAND_OFF_REQUEST } from "../runtime/operating.ts";
import { SAY_REQUEST } from "../runtime/say.ts";
import { adapted, flag, name, type ObjectSchema, object, optional, text } from "../schema/schema.ts";
import { CONVERSATION, CONVERSATION_DETAIL, ERROR, result } from "./api-schemas.ts";
import { CREATE_CONVERSATION } from "./create-conversation.ts";
import { publicKey } from "./public-json.ts";
import { type ApiCall, listing, missing, ok, PAGE_QUERY, pageOf, type Route, route } from "./route.ts";

const NOT_FOUND = { description: "No such conversation", schema: ERROR };

const LIST = route({
  method: "GET",
  path: "/api/conversations",
  operation: "listConversations",
  forProjects: true,
  summary: "Conversations, latest first",
  query: {
    search: text("Part of the sender or of `sender_alias`, or the exact id."),
    active: flag("Only those whose task is not complete, or only the others."),
    ...PAGE_QUERY,
  },
  answers: { 200: { description: "A page", schema: listing(CONVERSATION) } },
  run: async ({ engine, query: { search, active, ...page } }) => {
    const filter = {
      ...pageOf(page),
      ...(search !== undefined && { search }),
      ...(active !== undefined && { active }),
    };
    return ok(await engine.inspector.conversations(filter));
  },
});

const GET = route({
  method: "GET",
  path: "/api/conversations/{id}",
  operation: "getConversation",
  forProjects: true,
  summary: "A conversation with its messages, turns, refusals, and what waits now",
  answers: { 200: { description: "All of it", schema: CONVERSATION_DETAIL }, 404: NOT_FOUND },
  run: async ({ engine, id }) => {
    const detail = await engine.inspector.conversation(id);
    return detail ? ok(detail) : missing("conversation");
  },
});

const ERASE = route({
  method: "DELETE",
  path: "/api/conversations/{id}",
  operation: "eraseConversation",
  forProjects: true,
  summary:
    "Erases a person: all messages, turns, dead letters, unknown sends and refusals, in every conversation",
  answers: {
    200: { description: "Erased", schema: result("erased") },
    202: {
      description: "Erased; bytes may stay in the database's files until readers are done, or `lull compact`",
      schema: result("erasing"),
    },
    404: NOT_FOUND,
  },
  run: async ({ service, id }) => {
    const erased = await service.erase(id);
    if (erased === "not-found") return missing("conversation");
    return ok({ result: erased }, erased === "erased" ? 200 : 202);
  },
});

const AUTHOR = optional(name("Who says it; `api` when left out."));

const SAY = route({
  method: "POST",
  path: "/api/conversations/{id}/say",
  operation: "say",
  forProjects: true,
  summary: "Says something to the customer, as a turn of its own",
  body: adapted(SAY_REQUEST, { conversationId: null, author: AUTHOR }),
  answers: {
    202: { description: "Staged", schema: result("staged") },
    200: { description: "Said before under this id", schema: result("duplicate") },
    404: NOT_FOUND,
    409: { description: "Another person has come with the conversation's number since", schema: ERROR },
    413: { description: "Too large to be sent", schema: ERROR },
    429: { description: "Too much waits in this conversation already", schema: ERROR },
  },
  run: async ({ service, id, body }) => {
    const said = await service.say({ author: "api", ...body, conversationId: id });
    if (said === "not-found") return missing("conversation");
    return ok({ result: said }, said === "staged" ? 202 : 200);
  },
});

export const CONVERSATION_ROUTES: readonly Route[] = [
  LIST,
  CREATE_CONVERSATION,
  GET,
  ERASE,
  SAY,
  changing("close", "Completes the task: the next message opens a new one", ({ service, id }) =>
    service.close(id),
  ),
  changing("pause", "Stops answering; messages stay staged", ({ service, id }) => service.pause(id)),
  changing("resume", "Goes on answering", ({ service, id }) => service.resume(id)),
  changing(
    "handOff",
    "Hands the conversation to a human",
    ({ service, id, body }) => service.handOff(id, body.reason),
    HAND_OFF_REQUEST,
  ),
  changing("handBack", "Gives the conversation back to the responder", ({ service, id }) =>
    service.handBack(id),
  ),
];

function changing<Body>(
  action: string,
  summary: string,
  change: (call: ApiCall<Body>) => Promise<Conversation | "not-found">,
  body = object({}) as ObjectSchema<Body>,
): Route {
  return route({
    method: "POST",
    path: `/api/conversations/{id}/${publicKey(action).replace("_", "-")}`,
    operation: `${action}Conversation`,
    forProjects: true,
    summary,
    body,
    answers: { 200: { description: "The conversation", schema: CONVERSATION }, 404: NOT_FOUND },
    async run(call) {
      const changed = await change(call);
      return changed === "not-found" ? missing("conversation") : ok(changed);
    },
  });
}
