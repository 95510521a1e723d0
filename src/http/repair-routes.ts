import { type ApiCall, missing, ok, type Route } from "./route.ts";
import { flag, type ObjectSchema, object, oneOf, ref } from "./schema.ts";

/** What a person does when something went wrong, or must not go on. */
export const REMEDY_ROUTES: readonly Route[] = [
  remedy({
    path: "dead/{id}/retry",
    operation: "retryDeadLetter",
    summary: "Stages the messages again: a new turn answers them",
    result: "retried",
    run: ({ engine, id }) => engine.remedies.retryDead(id),
  }),
  remedy({
    path: "dead/{id}/discard",
    operation: "discardDeadLetter",
    summary: "Gives the messages up for good",
    result: "discarded",
    run: discard,
  }),
  remedy({
    method: "DELETE",
    path: "dead/{id}",
    operation: "deleteDeadLetter",
    summary: "Gives the messages up for good",
    result: "discarded",
    run: discard,
  }),
  remedy({
    path: "unknown/{id}/mark",
    operation: "markUnknownSend",
    summary: "Records what you found out about a send",
    body: object({ as: oneOf("sent", "not-sent") }, ["as"]),
    result: "marked",
    run: ({ engine, id, body }) => engine.remedies.markUnknown(id, body.as === "sent" ? "sent" : "not-sent"),
  }),
  remedy({
    path: "unknown/{id}/resend",
    operation: "resendUnknownSend",
    summary: "Sends it again, as a turn of its own",
    result: "staged",
    run: ({ engine, id }) => engine.remedies.resendUnknown(id),
  }),
  pausing("pause", "pauseAll", "Stops answering everywhere; messages stay staged", true),
  pausing("resume", "resumeAll", "Goes on answering everywhere", false),
];

interface Remedy {
  readonly method?: "POST" | "DELETE";
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly body?: ObjectSchema;
  readonly result: string;
  run(call: ApiCall): Promise<string>;
}

function remedy({ method = "POST", path, operation, summary, body, result, run }: Remedy): Route {
  return {
    method,
    path: `/api/${path}`,
    operation,
    summary,
    ...(method === "POST" && { body: body ?? object({}) }),
    answers: {
      200: { description: "Done", schema: object({ result: oneOf(result) }, ["result"]) },
      404: { description: "No such entry", schema: ref("Error") },
    },
    run: async (call) => {
      const outcome = await run(call);
      return outcome === "not-found" ? missing("entry") : ok({ result: outcome });
    },
  };
}

function discard({ engine, id }: ApiCall): Promise<string> {
  return engine.remedies.discardDead(id);
}

function pausing(action: string, operation: string, summary: string, paused: boolean): Route {
  return {
    method: "POST",
    path: `/api/${action}`,
    operation,
    summary,
    body: object({}),
    answers: { 200: { description: "Done", schema: object({ paused: flag() }, ["paused"]) } },
    run: async ({ engine }) => {
      await engine.conversations.pauseAll(paused);
      return ok({ paused });
    },
  };
}
