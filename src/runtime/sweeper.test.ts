import { expect, it } from "vitest";
import type { Log } from "../model/log.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { Sweeper } from "./sweeper.ts";
import { tellSweep } from "./tell-sweep.ts";

it("goes on as long as there is more, and rests after a round that failed", async () => {
  const clock = fakeClock();
  const rounds: ("more" | "done" | "fails")[] = ["more", "more", "done", "more", "fails", "done"];
  let sweeps = 0;
  const sweeping = {
    async sweep() {
      const round = rounds[sweeps] ?? "done";
      sweeps += 1;
      if (round === "fails") throw new Error("away");
      return { orphans: [], retriggered: 0, freed: 0, expired: 1, hasMore: round === "more" };
    },
    freeLeases: async () => 0,
  };
  const sweeper = new Sweeper(sweeping, {
    clock,
    settings: { sweepMs: 4_000 },
    random: () => 0.5,
    log: () => {},
  });
  sweeper.start();
  await clock.advance(1_000);
  expect(sweeps).toBe(3);
  await clock.advance(4_000);
  expect(sweeps).toBe(5);
  await clock.advance(4_000);
  expect(sweeps).toBe(6);
  await sweeper.stop();
});

it("rests now and then even if there were always more, and stops between two rounds", async () => {
  const clock = fakeClock();
  let sweeps = 0;
  const sweeping = {
    async sweep() {
      sweeps += 1;
      return { orphans: [], retriggered: 0, freed: 0, expired: 1, hasMore: true };
    },
    freeLeases: async () => 0,
  };
  const sweeper = new Sweeper(sweeping, {
    clock,
    settings: { sweepMs: 60_000 },
    random: () => 0.5,
    log: () => {},
  });
  sweeper.start();
  await clock.advance(60_000);
  expect(sweeps).toBe(1_000);
  await clock.advance(15_000);
  expect(sweeps).toBeGreaterThan(1_000);
  const before = sweeps;
  await sweeper.stop();
  await clock.advance(60_000);
  expect(sweeps).toBeLessThanOrEqual(before + 1);
});

it("sweeps at once and on a jittered interval, tells what it found, and stops when told", async () => {
  const clock = fakeClock();
  const logged: string[] = [];
  let sweeps = 0;
  const sweeping = {
    async sweep() {
      sweeps += 1;
      return {
        orphans: sweeps === 1 ? ["c1", "c2"] : [],
        retriggered: 0,
        freed: sweeps === 2 ? 1 : 0,
        expired: 0,
        hasMore: false,
      };
    },
    freeLeases: async () => 0,
  };
  const sweeper = new Sweeper(sweeping, {
    clock,
    settings: { sweepMs: 4_000 },
    random: () => 1,
    log: (_level, event) => void logged.push(event),
  });
  sweeper.start();
  sweeper.start();
  await clock.advance(0);
  expect(logged).toEqual(["sweep.orphan", "sweep.orphan", "sweep.done"]);
  await clock.advance(4_999);
  expect(sweeps).toBe(1);
  await clock.advance(1);
  expect(logged.slice(3)).toEqual(["lease.stale", "sweep.done"]);
  await sweeper.stop();
  await clock.advance(60_000);
  expect(sweeps).toBe(2);
});

it("tells whose the orphan is, of what was woken again, and of a single lease that was stale", async () => {
  const clock = fakeClock();
  const events: unknown[] = [];
  const sweeping = {
    sweep: async () => ({ orphans: ["c1"], retriggered: 2, freed: 1, expired: 0, hasMore: false }),
    freeLeases: async () => 0,
  };
  const log: Log = (...told) => void events.push(told);
  const sweeper = new Sweeper(sweeping, { clock, settings: { sweepMs: 4_000 }, random: () => 0.5, log });
  sweeper.start();
  await clock.advance(1);
  await sweeper.stop();
  expect(events).toEqual([
    ["error", "sweep.orphan", { conversation: "c1" }],
    ["warn", "sweep.retriggered", { retriggered: 2 }],
    ["warn", "lease.stale", { freed: 1 }],
    ["debug", "sweep.done", { orphans: 1, retriggered: 2, freed: 1, expired: 0 }],
  ]);
});

it("tells of each dead process what it held, and since when", () => {
  const logged: unknown[] = [];
  const freedFrom = [
    { holder: "one", leases: 2, sinceAtMs: 5 },
    { holder: "two", leases: 1, sinceAtMs: 9 },
  ];
  const report = { orphans: [], retriggered: 0, freed: 3, freedFrom, expired: 0, hasMore: false };
  tellSweep((...line) => logged.push(line), report);
  expect(logged.slice(0, -1)).toEqual([
    ["warn", "lease.stale", { freed: 2, holder: "one", sinceAtMs: 5 }],
    ["warn", "lease.stale", { freed: 1, holder: "two", sinceAtMs: 9 }],
  ]);
});
