import type { DatabaseSync } from "node:sqlite";
import { carryOut } from "../embedded/carry-out.ts";
import type { StepContext } from "../embedded/context.ts";
import { transact } from "./connection.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { StepReply, TimedRequest } from "./step-request.ts";

/** What a step works with, at the time of its request. */
export type ContextFor = (request: TimedRequest, apart?: StepContext["apart"]) => StepContext;

interface Listeners {
  readonly onError: (error: unknown) => void;
  /** Results of an attempt that was rolled back must be forgotten. */
  readonly onBegin: () => void;
  /** What was written is no longer so. */
  readonly onUndone: () => void;
}

/**
 * All in one commit. If one of them throws, all start over with a savepoint each, so that it does not fail
 * the others; a look at many conversations gets a savepoint for each of them. A commit that fails, failed for
 * all: nothing of it is on disk.
 */
export function inOneCommit(
  database: DatabaseSync,
  requests: readonly TimedRequest[],
  contextFor: ContextFor,
  { onError, onBegin, onUndone }: Listeners,
): StepReply[] {
  const carry = (request: TimedRequest, apart?: StepContext["apart"]): StepReply => ({
    ok: true,
    result: carryOut(contextFor(request, apart), request),
  });
  const whole = (each: (request: TimedRequest) => StepReply) =>
    transact(database, () => {
      onBegin();
      return requests.map(each);
    });
  try {
    return whole((request) => carry(request));
  } catch (error) {
    onUndone();
    const failure = noted(error, onError);
    if (requests.length === 1 && !LOOKS_AT_MANY.has(requests[0]!.name)) return [failure];
  }
  const apart = savepoints(database, onUndone);
  try {
    return whole((request) => attempt(() => apart(() => carry(request, apart)), onError));
  } catch (error) {
    onUndone();
    const failure = noted(error, onError);
    return requests.map(() => failure);
  }
}

const LOOKS_AT_MANY: ReadonlySet<string> = new Set(["takeDue", "sweep", "freeLeases"]);

function savepoints(
  database: DatabaseSync,
  onUndone: Listeners["onUndone"],
): NonNullable<StepContext["apart"]> {
  return (work) => {
    database.exec("SAVEPOINT step");
    try {
      const result = work();
      database.exec("RELEASE step");
      return result;
    } catch (error) {
      onUndone();
      // A full disk ends the whole transaction: then there is nothing to roll back to.
      if (database.isTransaction) database.exec("ROLLBACK TO step; RELEASE step");
      throw error;
    }
  };
}

export function attempt(work: () => StepReply, onError: Listeners["onError"]): StepReply {
  try {
    return work();
  } catch (error) {
    return noted(error, onError);
  }
}

function noted(error: unknown, onError: Listeners["onError"]): Failure {
  onError(error);
  return failureOf(error);
}
