import { describe } from "vitest";
import { settingsWith } from "../../../src/core/defaults.ts";
import type { Settings } from "../../../src/core/settings.ts";
import { engineOn } from "../../../src/engines/aws/engine.ts";
import { siteFor } from "../../../src/engines/aws/site.ts";
import { sweepLeases } from "../../../src/engines/aws/sweep.ts";
import { type ReceivedTrigger, type Trigger, triggerAtMs } from "../../../src/engines/aws/triggers.ts";
import type { TakeOutcome } from "../../../src/ports/engine.ts";
import { engineContract, type World } from "../../../src/testing/engine-contract/index.ts";
import { fakeClock } from "../../../src/testing/fake-clock.ts";
import { contractCases, SKIPS } from "../contract-cases.ts";
import { MemoryStore, MemoryTables } from "./memory-store.ts";

const skips = [
  ...SKIPS,
  ...engineContract
    .filter(({ title }) => title.includes("unreadable") || title.includes("foreign"))
    .map(({ title }) => ({
      title,
      because: "rows of others are put into real tables: contract.test.ts of the emulators",
    })),
];

interface Waiting extends ReceivedTrigger {
  wakeAtMs: number;
}

/** The steps of the engine on tables in memory and a queue that keeps the test's time: seconds instead of the minutes of the emulators. */
async function memoryWorld(given: Partial<Settings> = {}): Promise<World> {
  const clock = fakeClock();
  const settings = settingsWith({ clockSkewMs: 2_000, ...given });
  const tables = new MemoryTables();
  let waiting: Waiting[] = [];
  let receipts = 0;
  const triggers = {
    // Without the whole seconds that a queue counts in: cases look at the very millisecond.
    async send(trigger: Trigger, wakeAtMs: number) {
      receipts += 1;
      const atMs = triggerAtMs(wakeAtMs, clock.nowMs());
      waiting.push({ ...trigger, queue: "memory", receipt: String(receipts), wakeAtMs: atMs });
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
  const store = new MemoryStore(tables, {
    delay: now,
    meets: (_name, happen) => happen(),
    indexLag: () => 0,
    sees: "all",
    scribble: () => {},
    repeats: () => false,
  });
  let workers = 0;
  const site = (workerId: string) =>
    siteFor(
      { clock, settings, workerId, log: () => {}, onArmed: () => {} },
      { store, triggers, forget: "sweep" },
    );
  const harness = site("harness");
  return {
    clock,
    settings,
    async open(workerId) {
      workers += 1;
      return engineOn(site(workerId ?? `worker-${workers}`), now);
    },
    async takeDue(engine, max = 100) {
      await sweepLeases(harness);
      const all: TakeOutcome[] = [];
      for (;;) {
        const left = max - all.filter(({ kind }) => kind === "turn").length;
        const { outcomes } = await engine.turns.takeDue(left, new AbortController().signal);
        all.push(...outcomes);
        if (outcomes.length === 0 || left <= 0) return all;
      }
    },
    setClockBack(ms) {
      clock.setBack(ms);
      for (const each of waiting) each.wakeAtMs -= ms;
    },
    async strand(conversationId) {
      for (const table of ["triggerLock", "state"] as const)
        await store.delete(table, { conversation_id: conversationId });
      waiting = waiting.filter((each) => each.conversationId !== conversationId);
    },
    close: now,
  };
}

describe("the AWS engine keeps the contract on tables in memory", () => contractCases(memoryWorld, skips));
