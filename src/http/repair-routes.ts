import { flag, type ObjectSchema, object, oneOf } from "../core/schema.ts";
import { STILL_PASSED_ON } from "../runtime/passed-on.ts";
import { ERROR, result } from "./api-schemas.ts";
import { type ApiCall, missing, ok, type Route, refusal, route } from "./route.ts";

const PASSED_ON =
  "`NUMBER_PASSED_ON`: the customer's number may be another person's by now; the entry stays as it is";

/** What an operator does when something went wrong, or must not go on. */
export const REPAIR_ROUTES: readonly Route[] = [
  repair({
    path: "dead/{id}/retry",
    operation: "retryDeadLetter",
    summary: "Stages the messages again: a new turn answers them",
    result: "retried",
    mayBePassedOn: true,
    run: ({ engine, id }) => engine.repairs.retryDead(id),
  }),
  repair({
    path: "dead/{id}/discard",
    operation: "discardDeadLetter",
    summary: "Gives the messages up for good",
    result: "discarded",
    run: discard,
  }),
  repair({
    method: "DELETE",
    path: "dead/{id}",
    operation: "deleteDeadLetter",
    summary: "Gives the messages up for good",
    result: "discarded",
    run: discard,
  }),
  repair({
    path: "unknown/{id}/mark",
    operation: "markUnknownSend",
    summary: "Records what you found out about a send",
    body: object({ as: oneOf("sent", "not-sent") }),
    result: "marked",
    run: ({ engine, id, body }) => engine.repairs.markUnknown(id, body.as),
  }),
  repair({
    path: "unknown/{id}/resend",
    operation: "resendUnknownSend",
    summary: "Sends it again, as a turn of its own",
    result: "staged",
    mayBePassedOn: true,
    run: ({ engine, id }) => engine.repairs.resendUnknown(id),
  }),
  pausing("pause", "pauseAll", "Stops answering everywhere; messages stay staged", true),
  pausing("resume", "resumeAll", "Goes on answering everywhere", false),
];

interface Repair<Body> {
  readonly method?: "POST" | "DELETE";
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly body?: ObjectSchema<Body>;
  readonly result: string;
  /** Something would be sent: that is refused where it could only reach another person. */
  readonly mayBePassedOn?: true;
  run(call: ApiCall<Body>): Promise<string>;
}

function repair<Body>({ method = "POST", path, run, ...row }: Repair<Body>): Route {
  const { operation, summary, body = object({}) as ObjectSchema<Body> } = row;
  return route({
    method,
    path: `/api/${path}`,
    operation,
    summary,
    ...(method === "POST" && { body }),
    answers: {
      200: { description: "Done", schema: result(row.result) },
      404: { description: "No such entry", schema: ERROR },
      ...(row.mayBePassedOn && { 409: { description: PASSED_ON, schema: ERROR } }),
    },
    run: async (call) => {
      const outcome = await run(call);
      if (outcome === "passed-on") return refusal(409, "NUMBER_PASSED_ON", STILL_PASSED_ON);
      return outcome === "not-found" ? missing("entry") : ok({ result: outcome });
    },
  });
}

function discard({ engine, id }: ApiCall): Promise<string> {
  return engine.repairs.discardDead(id);
}

function pausing(action: string, operation: string, summary: string, paused: boolean): Route {
  return route({
    method: "POST",
    path: `/api/${action}`,
    operation,
    summary,
    body: object({}),
    answers: { 200: { description: "Done", schema: object({ paused: flag() }) } },
    run: async ({ engine }) => {
      await engine.conversations.pauseAll(paused);
      return ok({ paused });
    },
  });
}
