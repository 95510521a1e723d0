import assert from "node:assert/strict";
import { settingsWith } from "../../../src/core/defaults.ts";
import { isoOf } from "../../../src/core/instant.ts";
import { type AwsContext, contextFor } from "../../../src/engines/aws/context.ts";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import { TABLES, type TableName } from "../../../src/engines/aws/dynamo/tables.ts";
import { engineOn } from "../../../src/engines/aws/engine.ts";
import {
  type ReceivedTrigger,
  type Trigger,
  type Triggers,
  triggerAtMs,
} from "../../../src/engines/aws/queue/triggers.ts";
import { sweepLeases } from "../../../src/engines/aws/steps/sweep.ts";
import type { LogFields } from "../../../src/model/log.ts";
import type { GivenSettings } from "../../../src/model/settings.ts";
import type { TakeOutcome } from "../../../src/model/take.ts";
import type { Engine } from "../../../src/ports/engine.ts";
import type { EngineFixture, SpoiltHow, SpoiltWhat } from "../../../src/testing/engine-contract/index.ts";
import { Scene } from "../../../src/testing/engine-contract/scene.ts";
import { fakeClock } from "../../../src/testing/fake-clock.ts";
import type { RequestName } from "../../../src/testing/simulator/plan.ts";
import { SPOILT } from "../spoilt.ts";
import { MemoryStore } from "./memory-store.ts";
import { MemoryTables } from "./memory-tables.ts";

export interface WaitingTrigger extends ReceivedTrigger {
  wakeAtMs: number;
}

export interface MemoryFixture extends EngineFixture {
  /** Rows as they stand, and to be written behind the engine's back. */
  row(table: TableName, key: Item): Item | undefined;
  write(table: TableName, item: Item): void;
  remove(table: TableName, key: Item): void;
  /** Triggers on their way. */
  triggers(): readonly WaitingTrigger[];
  /** Of all conversations, if none is named. */
  loseTriggers(conversationId?: string): Promise<void>;
  /** What the workers told, by the name of the event. */
  told(event: string): readonly LogFields[];
  /** Requests to the tables since the fixture began, by what they were. */
  readonly requests: RequestName[];
  /**
   * Once, before the next request of that name: what another process does meanwhile, or an error instead of
   * an answer.
   */
  before(name: RequestName, happen: () => Promise<void>): void;
  /** A worker's own view, for steps that are looked at one by one. */
  context(holder?: string): AwsContext;
}

export interface MemoryFixtureOptions {
  /** Where a page ends though there is more. */
  readonly pageRowsMax?: number;
  /** The answer to every request gets lost once, and the request is made again. */
  readonly losesAnswers?: boolean;
}

/**
 * The steps of the engine on tables in memory and a queue that keeps the test's time: seconds instead of the
 * minutes of the emulators.
 */
export async function memoryFixture(
  given: Partial<GivenSettings> = {},
  { pageRowsMax, losesAnswers = false }: MemoryFixtureOptions = {},
): Promise<MemoryFixture> {
  const clock = fakeClock();
  const settings = settingsWith({ clockSkewMs: 2_000, ...given });
  const tables = new MemoryTables();
  const requests: RequestName[] = [];
  const logged: { readonly event: string; readonly fields: LogFields }[] = [];
  const meanwhile = new Map<RequestName, () => Promise<void>>();
  let waiting: WaitingTrigger[] = [];
  let receipts = 0;
  const triggers: Triggers = {
    // Without the whole seconds that a queue counts in: cases check the exact millisecond.
    async send(trigger: Trigger, wakeAtMs: number) {
      receipts += 1;
      const atMs = triggerAtMs(wakeAtMs, clock.nowMs());
      waiting.push({
        ...trigger,
        sender: "",
        queue: "memory",
        receipt: String(receipts),
        wakeAtMs: atMs,
      });
    },
    receive: async (max: number) =>
      waiting
        .filter(({ wakeAtMs }) => wakeAtMs <= clock.nowMs())
        .sort((a, b) => a.wakeAtMs - b.wakeAtMs)
        .slice(0, max),
    async done(received: readonly ReceivedTrigger[]) {
      const done = new Set(received.map(({ receipt }) => receipt));
      waiting = waiting.filter(({ receipt }) => !done.has(receipt));
    },
    check: async () => {},
  };
  const now = async () => {};
  const storeFor = (beforeRequest: () => Promise<void>) =>
    new MemoryStore(tables, {
      delay: now,
      async meets(name, happen) {
        await beforeRequest();
        requests.push(name);
        const first = meanwhile.get(name);
        meanwhile.delete(name);
        await first?.();
        return happen();
      },
      indexLag: () => 0,
      sees: "all",
      scribble: () => {},
      repeats: () => losesAnswers,
      ...(pageRowsMax !== undefined && { pageRowsMax }),
    });
  const context = (holder = "harness", beforeRequest = now) =>
    contextFor(
      {
        clock,
        settings,
        holder,
        log: (_level, event, fields = {}) => void logged.push({ event, fields }),
        onArmed: () => {},
      },
      { store: storeFor(beforeRequest), triggers: watched(triggers, beforeRequest), forget: "sweep" },
    );
  const harness = context();
  let workers = 0;
  const woken = async (engine: Engine, max = 100) => {
    const all: TakeOutcome[] = [];
    for (;;) {
      const left = max - all.filter(({ kind }) => kind === "turn").length;
      const { outcomes } = await engine.turns.takeDue(left, new AbortController().signal);
      all.push(...outcomes);
      if (outcomes.length === 0 || left <= 0) return all;
    }
  };
  return {
    clock,
    settings,
    requests,
    context,
    row: (table, key) => tables.read(table, key),
    write: (table, item) => tables.write(table, item, item, 0),
    remove: (table, key) => tables.write(table, key, undefined, 0),
    triggers: () => waiting,
    async loseTriggers(conversationId) {
      const isKept = (each: WaitingTrigger) =>
        conversationId !== undefined && each.conversationId !== conversationId;
      waiting = waiting.filter(isKept);
    },
    told: (event) => logged.filter((each) => each.event === event).map(({ fields }) => fields),
    before: (name, happen) => void meanwhile.set(name, happen),
    async open(holder) {
      workers += 1;
      return engineOn(context(holder ?? `worker-${workers}`), now);
    },
    openWatched: async (holder, beforeRequest) => engineOn(context(holder, unlessDead(beforeRequest)), now),
    async takeDue(engine, max) {
      await sweepLeases(harness);
      return woken(engine, max);
    },
    woken,
    async collectExpired() {
      for (const [name, { timeToLive }] of Object.entries(TABLES)) {
        const table = name as TableName;
        const past = tables
          .all(table, undefined, "all")
          .filter((row) => isPast(row, timeToLive, clock.nowMs()));
        for (const row of past) tables.write(table, row, undefined, 0);
      }
    },
    setClockBack(ms) {
      clock.setBack(ms);
      for (const each of waiting) each.wakeAtMs -= ms;
    },
    async strand(conversationId) {
      for (const table of ["triggerLock", "state"] as const)
        tables.write(table, { conversation_id: conversationId }, undefined, 0);
      waiting = waiting.filter((each) => each.conversationId !== conversationId);
    },
    async says(conversationId, status, updatedAtMs) {
      const rows = tables.all("conversations", undefined, "all");
      const row = rows.find(({ conversation_id }) => conversation_id === conversationId)!;
      const changed = updatedAtMs !== undefined && { updated_at: isoOf(updatedAtMs) };
      tables.write("conversations", row, { ...row, conversation_status: status, ...changed }, 0);
    },
    spoil: async (conversationId, what, how) => spoilIn(tables, conversationId, what, how),
    async keeps() {
      const rows = (Object.keys(TABLES) as TableName[]).map((table) => tables.all(table, undefined, "all"));
      return JSON.stringify([rows, waiting]);
    },
    close: now,
  };
}

/** A dead worker makes no further request. */
function unlessDead(beforeRequest: () => Promise<void>): () => Promise<void> {
  let death: Promise<void> | undefined;
  return async () => {
    await death;
    await beforeRequest().catch((error) => {
      death = Promise.reject(error);
      return death;
    });
  };
}

/** The queue as one worker reaches it. */
function watched(triggers: Triggers, beforeRequest: () => Promise<void>): Triggers {
  const requests = Object.entries(triggers).map(([name, request]) => [
    name,
    async (...given: unknown[]) => {
      await beforeRequest();
      return request(...given);
    },
  ]);
  return Object.fromEntries(requests);
}

/** DynamoDB removes what is past its time, in whole seconds, by the attribute that the table names. */
export function isPast(row: Item, timeToLive: string | undefined, nowMs: number): boolean {
  const expiresAt = timeToLive === undefined ? undefined : row[timeToLive];
  return typeof expiresAt === "number" && expiresAt * 1_000 < nowMs;
}

/** A type that no attribute of ours has. */
const UNREADABLE = { 0: [0, 255, 0] };

function spoilIn(tables: MemoryTables, conversationId: string, what: SpoiltWhat, how: SpoiltHow): void {
  const { table, keys, foreign } = SPOILT[what];
  const rows = tables.all(table, undefined, "all").filter((row) => row.conversation_id === conversationId);
  const [oldest] = rows.sort((a, b) => Number(a.sequence) - Number(b.sequence));
  assert.ok(oldest, `no ${what} of ${conversationId}`);
  const unreadable = Object.fromEntries(Object.keys(foreign).map((name) => [name, UNREADABLE]));
  const key = Object.fromEntries(keys.map((name) => [name, oldest[name]]));
  tables.write(table, key, { ...key, ...(how === "foreign" ? foreign : unreadable) }, 0);
}

/** A fixture with its first worker, and the words of the contract's cases. */
export async function memoryScene(
  settings: Partial<GivenSettings> = {},
  options: MemoryFixtureOptions = {},
): Promise<{ readonly fixture: MemoryFixture; readonly s: Scene }> {
  const fixture = await memoryFixture(settings, options);
  return { fixture, s: new Scene(fixture, await fixture.open("worker-1")) };
}
