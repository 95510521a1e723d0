import type { ConversationChange } from "../model/conversation.ts";
import type { Engine } from "../ports/engine.ts";
import { CREATE_CONVERSATION, knownChannel } from "./create-conversation.ts";
import {
  type ApiCall,
  type ApiResult,
  listing,
  missing,
  ok,
  PAGE_QUERY,
  pageOf,
  type Route,
} from "./route.ts";
import { flag, name, object, oneOf, reason, ref, someText, text } from "./schema.ts";

const NOT_FOUND = { description: "No such conversation", schema: ref("Error") };

const LIST: Route = {
  method: "GET",
  path: "/api/conversations",
  operation: "listConversations",
  summary: "Conversations, latest first",
  query: {
    search: text("Part of the sender, or the exact id."),
    active: flag("Only those whose task is not complete, or only the others."),
    ...PAGE_QUERY,
  },
  answers: { 200: { description: "A page", schema: listing(ref("Conversation")) } },
  run: async (call) => {
    const { search, active } = call.query;
    const filter = {
      ...pageOf(call),
      ...(typeof search === "string" && { search }),
      ...(typeof active === "boolean" && { active }),
    };
    return ok(await call.engine.inspector.conversations(filter));
  },
};

const GET: Route = {
  method: "GET",
  path: "/api/conversations/{id}",
  operation: "getConversation",
  summary: "A conversation with its messages, turns, refusals, and what waits now",
  answers: { 200: { description: "All of it", schema: ref("ConversationDetail") }, 404: NOT_FOUND },
  run: async ({ engine, id }) => {
    const detail = await engine.inspector.conversation(id);
    return detail ? ok(detail) : missing("conversation");
  },
};

const ERASE: Route = {
  method: "DELETE",
  path: "/api/conversations/{id}",
  operation: "eraseConversation",
  summary:
    "Erases a person: every message, turn, dead letter, unknown send and refusal, in this conversation and all others of theirs",
  answers: {
    200: { description: "Erased", schema: object({ result: oneOf("erased") }, ["result"]) },
    202: {
      description:
        "Erased; bytes may be left in the database's files until whoever reads them is done, or until `lull compact`",
      schema: object({ result: oneOf("erasing") }, ["result"]),
    },
    404: NOT_FOUND,
  },
  run: async ({ engine, id }) => {
    const result = await engine.conversations.erase(id);
    if (result === "not-found") return missing("conversation");
    return ok({ result }, result === "erased" ? 200 : 202);
  },
};

const SAY: Route = {
  method: "POST",
  path: "/api/conversations/{id}/say",
  operation: "say",
  summary: "Says something to the customer, as a turn of its own",
  body: object(
    {
      text: someText("What to say."),
      id: name("Made by you: asking twice with the same id says it once."),
      channel: name("Where the conversation may use several channels."),
      author: name("Who says it; `api` when left out."),
    },
    ["text"],
  ),
  answers: {
    202: { description: "Staged", schema: object({ result: oneOf("staged") }, ["result"]) },
    200: {
      description: "Said before under this id",
      schema: object({ result: oneOf("duplicate") }, ["result"]),
    },
    404: NOT_FOUND,
    409: { description: "Somebody else has come with the conversation's number since", schema: ref("Error") },
    413: { description: "Too large to be sent", schema: ref("Error") },
    429: { description: "Too much waits in this conversation already", schema: ref("Error") },
  },
  run: say,
};

const HAND_OFF: Route = {
  ...changing("hand-off", "handOffConversation", "Hands the conversation to a human", { handedOff: true }),
  body: object({ reason: reason("Shown to whoever takes over.", 0) }),
  run: ({ engine, id, body }) =>
    changed(engine, id, {
      handedOff: true,
      ...(typeof body.reason === "string" && { handOffReason: body.reason }),
    }),
};

export const CONVERSATION_ROUTES: readonly Route[] = [
  LIST,
  CREATE_CONVERSATION,
  GET,
  ERASE,
  SAY,
  changing("close", "closeConversation", "Completes the task: the next message opens a new one", {
    taskComplete: true,
  }),
  changing("pause", "pauseConversation", "Stops answering; messages stay staged", { paused: true }),
  changing("resume", "resumeConversation", "Goes on answering", { paused: false }),
  HAND_OFF,
  changing("hand-back", "handBackConversation", "Gives the conversation back to the responder", {
    handedOff: false,
  }),
];

async function say({ service, id, body }: ApiCall): Promise<ApiResult> {
  const given = body as { text: string; id?: string; channel?: string; author?: string };
  if (given.channel !== undefined) knownChannel(service, given.channel);
  const result = await service.say({ author: "api", ...given, conversationId: id });
  if (result === "not-found") return missing("conversation");
  return ok({ result }, result === "staged" ? 202 : 200);
}

function changing(action: string, operation: string, summary: string, to: ConversationChange): Route {
  return {
    method: "POST",
    path: `/api/conversations/{id}/${action}`,
    operation,
    summary,
    body: object({}),
    answers: { 200: { description: "The conversation", schema: ref("Conversation") }, 404: NOT_FOUND },
    run: ({ engine, id }) => changed(engine, id, to),
  };
}

async function changed(engine: Engine, id: string, to: ConversationChange): Promise<ApiResult> {
  const conversation = await engine.conversations.change(id, to);
  return conversation ? ok(conversation) : missing("conversation");
}
