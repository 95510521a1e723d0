import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { LogFields, LogLevel } from "../model/log.ts";
import type { Engine, EngineProvider } from "../ports/engine.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

const MINUTE = 60_000;
const CUSTOMERS = Array.from({ length: 30 }, (_, n) => `customer-${n}`);

let lull: TestLull;
let disk: { isFull: boolean };
let lines: (LogFields & { readonly level: LogLevel; readonly event: string })[];
afterEach(() => lull.stop());

/** A store whose reads go on while its disk is full. */
function onDisk(): EngineProvider {
  const kept = memory();
  const whileThereIsRoom =
    <A extends readonly unknown[], T>(write: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      if (disk.isFull) throw new StoreUnavailable("the disk is full");
      return write(...given);
    };
  return {
    ...kept,
    async open(context): Promise<Engine> {
      const opened = await kept.open(context);
      const { turns, receiving } = opened;
      return {
        ...opened,
        ping: whileThereIsRoom(opened.ping),
        receiving: { ...receiving, stage: whileThereIsRoom(receiving.stage) },
        turns: {
          ...turns,
          commit: whileThereIsRoom(turns.commit),
          release: whileThereIsRoom(turns.release),
          draft: whileThereIsRoom(turns.draft),
        },
      };
    },
  };
}

function open(): void {
  disk = { isFull: false };
  lines = [];
  lull = testLull({
    engine: onDisk(),
    window: { seconds: 1 },
    respond: ({ text }) => text,
    log: (level, event, fields) => void lines.push({ level, event, ...fields }),
  });
}

function told(event: string, level?: LogLevel) {
  return lines.filter((line) => line.event === event && (level ?? line.level) === line.level);
}

describe("a disk that is full", () => {
  it("is told once while turns wait for it, then as a sum, and once when there is room again", async () => {
    open();
    for (const customer of CUSTOMERS) await lull.receive(customer, "hi");
    disk.isFull = true;
    await lull.advance(1_000);
    const sinceAtMs = lull.clock.nowMs();
    await lull.advance(10_000);
    expect(told("store.retry", "warn")).toMatchObject([{ reason: "the disk is full" }]);
    // Every one is still an event: metrics are counted from them.
    expect(told("store.retry").length).toBeGreaterThan(CUSTOMERS.length);
    expect(told("store.back")).toEqual([]);
    disk.isFull = false;
    await lull.advance(MINUTE);
    expect(told("store.back")).toMatchObject([{ sinceAtMs, forMs: expect.any(Number) }]);
    expect(told("store.retries")).toMatchObject([{ more: told("store.retry").length - 1 }]);
    expect(told("turn.committed")).toHaveLength(CUSTOMERS.length);
  });

  it("is known to have room again, though nobody writes", async () => {
    open();
    await lull.receive("ben", "hi");
    await lull.advance(MINUTE);
    disk.isFull = true;
    await lull.receive("ana", "hi").catch(() => {});
    expect(told("webhook.failed")).toHaveLength(1);
    await lull.advance(5 * MINUTE);
    expect(told("store.back")).toEqual([]);
    disk.isFull = false;
    await lull.advance(5 * MINUTE);
    expect(told("store.back")).toHaveLength(1);
  });
});
