import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Settings } from "../../core/settings.ts";
import { LullError, StoreUnavailable } from "../../errors.ts";
import type { DueTurns } from "../../ports/engine.ts";
import type { Step } from "../embedded/step.ts";
import { carryOut, isRead, type StepName } from "../embedded/steps.ts";
import type { Tables } from "../embedded/tables.ts";
import { type ConnectionOptions, messageOf, openConnection, transact, whileBusy } from "./connection.ts";
import { sqliteTables } from "./tables.ts";

export interface StoreOptions extends ConnectionOptions {
  readonly settings: Settings;
  readonly holder: string;
}

/** One step that somebody wants, at that caller's time. */
export interface StepRequest {
  readonly name: StepName;
  readonly input: unknown;
  readonly nowMs: number;
}

export type StepReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface GroupReply {
  readonly replies: readonly StepReply[];
  /** Earliest time at which a window that this group armed is due. */
  readonly armedAtMs?: number;
}

/** The file, and steps carried out on it in groups: what is asked at the same time shares one commit. */
export interface Store {
  runGroup(requests: readonly StepRequest[]): GroupReply;
  close(): void;
}

export function openStore(options: StoreOptions): Store {
  const database = openConnection(options);
  const tables = whileBusy(() => sqliteTables(database));
  let armedAtMs: number | undefined;
  const armed = (atMs: number) => {
    armedAtMs = Math.min(armedAtMs ?? atMs, atMs);
  };
  const { settings, holder } = options;
  const carry = ({ name, input, nowMs }: StepRequest): StepReply => {
    const step: Step = { tables, settings, holder, nowMs, newId: randomUUID, armed };
    return { ok: true, result: carryOut(step, name, input) };
  };
  /** Asking for due work when none is due must not take the write lock away from others, ten times a second. */
  const isIdle = ({ name, nowMs }: StepRequest) =>
    name === "takeDue" && tables.wakeable(nowMs, 1).length === 0;
  const needsWrite = (requests: readonly StepRequest[]) => {
    try {
      return whileBusy(() => requests.some((request) => !isRead(request.name) && !isIdle(request)));
    } catch {
      // Not even looking worked: the transaction tells each caller why.
      return true;
    }
  };
  /** Idle work is not looked for again here: what another process armed in between would be taken outside a transaction. */
  const read = (request: StepRequest): StepReply =>
    whileBusy(() => (request.name === "takeDue" ? { ok: true, result: nothingDue(tables) } : carry(request)));

  return {
    runGroup(requests) {
      armedAtMs = undefined;
      const replies = needsWrite(requests)
        ? inOneCommit(database, requests, carry)
        : requests.map((each) => attempt(each, read));
      return armedAtMs === undefined ? { replies } : { replies, armedAtMs };
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

function nothingDue(tables: Tables): DueTurns {
  const nextAtMs = tables.nextWakeAtMs();
  return nextAtMs === undefined ? { outcomes: [] } : { outcomes: [], nextAtMs };
}

type Carry = (request: StepRequest) => StepReply;

/** All in one commit. If one of them breaks, all start over with a savepoint each, so that it does not fail its neighbours. */
function inOneCommit(database: DatabaseSync, requests: readonly StepRequest[], carry: Carry): StepReply[] {
  try {
    return transact(database, () => requests.map(carry));
  } catch (error) {
    if (requests.length === 1) return [failure(error)];
  }
  try {
    return transact(database, () =>
      requests.map((request) => attempt(request, inSavepoint(database, carry))),
    );
  } catch (error) {
    return requests.map(() => failure(error));
  }
}

function inSavepoint(database: DatabaseSync, carry: Carry): Carry {
  return (request) => {
    database.exec("SAVEPOINT step");
    try {
      const reply = carry(request);
      database.exec("RELEASE step");
      return reply;
    } catch (error) {
      // A full disk ends the whole transaction: then there is nothing to roll back to.
      if (database.isTransaction) database.exec("ROLLBACK TO step; RELEASE step");
      throw error;
    }
  };
}

function attempt(request: StepRequest, carry: Carry): StepReply {
  try {
    return carry(request);
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): StepReply {
  const code = error instanceof LullError ? error.code : "STORE_UNAVAILABLE";
  return { ok: false, code, message: messageOf(error) };
}

/** The result, or the error it stands for. */
export function resultOf(reply: StepReply): unknown {
  if (reply.ok) return reply.result;
  throw new StoreUnavailable(`the database could not do it: ${reply.message}`);
}
