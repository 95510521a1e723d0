import type { DatabaseSync } from "node:sqlite";
import { carryOut } from "../embedded/carry-out.ts";
import type { StepContext } from "../embedded/context.ts";
import { transact } from "./connection.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { StepReply, TimedRequest } from "./step-request.ts";

type Apart = NonNullable<StepContext["apart"]>;

/** What a step works with, at the time of its request. */
export type ContextFor = (request: TimedRequest, apart?: Apart) => StepContext;

interface Listeners {
  readonly onError: (error: unknown) => void;
  /** Results of an attempt that was rolled back must be forgotten. */
  readonly onBegin: () => void;
  /** What was written is no longer so. */
  readonly onUndone: () => void;
  /** What was written since `onBegin` stays. */
  readonly onCommitted: () => void;
}

/**
 * All in one commit. If one of them throws, all start over with a savepoint each, so that it does not fail
 * the others; a look at many conversations gets a savepoint for each of them. A commit that fails, failed for
 * all: nothing of it is on disk. If SQLite itself ends the transaction halfway, as it does when the disk is
 * full or cannot be read, each is carried out in a commit of its own.
 */
export function inOneCommit(
  database: DatabaseSync,
  requests: readonly TimedRequest[],
  contextFor: ContextFor,
  listeners: Listeners,
): StepReply[] {
  const { onError, onBegin, onUndone, onCommitted } = listeners;
  const carry = (request: TimedRequest, apart?: Apart): StepReply => ({
    ok: true,
    result: carryOut(contextFor(request, apart), request),
  });
  const commit: Commit = (work) => {
    const result = transact(database, () => {
      onBegin();
      return work();
    });
    onCommitted();
    return result;
  };
  const failed = (error: unknown): Failure => {
    onUndone();
    return noted(error, onError);
  };
  try {
    return commit(() => requests.map((request) => carry(request)));
  } catch (error) {
    const failure = failed(error);
    if (requests.length === 1 && !LOOKS_AT_MANY.has(requests[0]!.name)) return [failure];
  }
  const apart = savepoints(database, onUndone);
  const orFail = (request: TimedRequest) => {
    try {
      return apart(() => carry(request, apart));
    } catch (error) {
      if (!database.isTransaction) throw new TransactionEnded();
      return noted(error, onError);
    }
  };
  try {
    return commit(() => requests.map(orFail));
  } catch (error) {
    const failure = failed(error);
    if (!(error instanceof TransactionEnded)) return requests.map(() => failure);
  }
  return oneByOne(requests, commit, failed, (request) => {
    if (!LOOKS_AT_MANY.has(request.name)) return carry(request);
    return carry(request, savepoints(database, onUndone, commit));
  });
}

const LOOKS_AT_MANY: ReadonlySet<string> = new Set(["takeDue", "sweep", "freeLeases"]);

type Commit = <T>(work: () => T) => T;

/** SQLite has rolled back all of it: what is asked for next would be written at once, in no transaction. */
class TransactionEnded extends Error {}

/** One that fails, fails alone. */
function oneByOne(
  requests: readonly TimedRequest[],
  commit: Commit,
  failed: (error: unknown) => Failure,
  carry: (request: TimedRequest) => StepReply,
): StepReply[] {
  let refused: Failure | undefined;
  return requests.map((request) => {
    // The lock was waited for in vain: not once more for each of them.
    if (refused) return refused;
    let hasBegun = false;
    try {
      return commit(() => {
        hasBegun = true;
        return carry(request);
      });
    } catch (error) {
      const failure = failed(error);
      if (!hasBegun) refused = failure;
      return failure;
    }
  });
}

/**
 * `afterAll` carries out what is asked for once the whole transaction has ended, which fails all the same: a
 * conversation that ends every look at it is put off, and the next look goes on with the others.
 */
function savepoints(database: DatabaseSync, onUndone: Listeners["onUndone"], afterAll?: Commit): Apart {
  let endedBy: unknown;
  return (work) => {
    if (!database.isTransaction) {
      afterAll?.(work);
      throw endedBy;
    }
    database.exec("SAVEPOINT step");
    try {
      const result = work();
      database.exec("RELEASE step");
      return result;
    } catch (error) {
      onUndone();
      if (database.isTransaction) database.exec("ROLLBACK TO step; RELEASE step");
      else endedBy = error;
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
