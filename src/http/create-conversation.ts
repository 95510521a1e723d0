import { CREATE_REQUEST } from "../runtime/create-conversation.ts";
import { adapted } from "../schema/schema.ts";
import { CREATED_CONVERSATION } from "./api-schemas.ts";
import { ok, route } from "./route.ts";

export const CREATE_CONVERSATION = route({
  method: "POST",
  path: "/api/conversations",
  operation: "createConversation",
  summary: "Creates a conversation, or finds the active one of the same sender and address",
  forProjects: true,
  body: adapted(CREATE_REQUEST, { author: null }),
  answers: {
    201: { description: "Created", schema: CREATED_CONVERSATION },
    200: { description: "It was there already", schema: CREATED_CONVERSATION },
  },
  run: async ({ service, body, note }) => {
    const result = await service.createConversation({ ...body, author: "api" }, note);
    return ok(result, result.created ? 201 : 200);
  },
});
