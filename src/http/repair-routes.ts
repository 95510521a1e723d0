import { MARK_REQUEST } from "../runtime/operating.ts";
import { flag, type ObjectSchema, object } from "../schema/schema.ts";
import { ERROR, result } from "./api-schemas.ts";
import { type ApiCall, missing, ok, type Route, route } from "./route.ts";

const PASSED_ON =
  "`NUMBER_PASSED_ON`: the customer's number may be another person's by now; the entry stays as it is";

const DISCARD = {
  summary: "Gives the messages up for good",
  result: "discarded",
  run: ({ service, id }: ApiCall) => service.discardDead(id),
};

/** What an operator does when something went wrong, or must not go on. */
export const REPAIR_ROUTES: readonly Route[] = [
  repair({
    path: "dead/{id}/retry",
    operation: "retryDeadLetter",
    summary: "Stages the messages again: a new turn answers them",
    result: "retried",
    mayBePassedOn: true,
    run: ({ service, id }) => service.retryDead(id),
  }),
  repair({ ...DISCARD, path: "dead/{id}/discard", operation: "discardDeadLetter" }),
  repair({ ...DISCARD, method: "DELETE", path: "dead/{id}", operation: "deleteDeadLetter" }),
  repair({
    path: "unknown/{id}/mark",
    operation: "markUnknownSend",
    summary: "Takes a send off the list: you found out what became of it",
    body: MARK_REQUEST,
    result: "marked",
    run: ({ service, id, body }) => service.markUnknown(id, body.as),
  }),
  repair({
    path: "unknown/{id}/resend",
    operation: "resendUnknownSend",
    summary: "Sends it again, as a turn of its own",
    result: "staged",
    mayBePassedOn: true,
    run: ({ service, id }) => service.resendUnknown(id),
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
    forProjects: true,
    ...(method === "POST" && { body }),
    answers: {
      200: { description: "Done", schema: result(row.result) },
      404: { description: "No such entry", schema: ERROR },
      ...(row.mayBePassedOn && { 409: { description: PASSED_ON, schema: ERROR } }),
    },
    run: async (call) => {
      const outcome = await run(call);
      return outcome === "not-found" ? missing("entry") : ok({ result: outcome });
    },
  });
}

function pausing(action: string, operation: string, summary: string, paused: boolean): Route {
  return route({
    method: "POST",
    path: `/api/${action}`,
    operation,
    summary,
    body: object({}),
    answers: { 200: { description: "Done", schema: object({ paused: flag() }) } },
    run: async ({ service }) => {
      await service.pauseAll(paused);
      return ok({ paused });
    },
  });
}
