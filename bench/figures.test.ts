import { expect, test } from "vitest";
import { figuresOf, type Seen } from "./figures.ts";
import { QUICK, scenarioOf } from "./scenarios.ts";

/** Ten messages a second from 1,000 ms on, each acknowledged after 5 ms; the first second does not count. */
const sentAtMs = Array.from({ length: 30 }, (_, message) => 1_000 + message * 100);
const seen: Seen = {
  scenario: { ...scenarioOf("steady", QUICK), countedFromMs: 1_000 },
  load: {
    ...{ handedAtMs: sentAtMs, firstAtMs: sentAtMs, sentAtMs, ackedAtMs: sentAtMs.map((atMs) => atMs + 5) },
    ...{ failedTries: 0, startedAtMs: 1_000, endedAtMs: 4_000, cpuMs: 300 },
  },
  log: {
    asked: [
      { messages: [0, 1], startedAtMs: 1_500, endedAtMs: 1_501 },
      { messages: [2, 3, 4], startedAtMs: 2_500, endedAtMs: 2_501 },
    ],
    sent: [
      { answer: 0, to: "+15550000000", startedAtMs: 1_502, endedAtMs: 1_503 },
      { answer: 1, to: "+15550000000", startedAtMs: 2_502, endedAtMs: 2_503 },
    ],
  },
  samples: { cpuMs: 40, redisCpuMs: 10, overMs: 2_000, fromAtMs: 2_000, rssBytesMax: 100 * 2 ** 20 },
  restart: undefined,
};
const lateness = [
  { startedAtMs: 1_500, byMs: 400 },
  { startedAtMs: 2_500, byMs: 7 },
];

test("only what comes after the start counts: acks, turns, and the time that they took", () => {
  const figures = figuresOf(seen, lateness);
  expect(figures.acksPerSecond).toBeCloseTo(20 / 1.905);
  expect(figures.ackP99Ms).toBe(5);
  expect(figures.latenessP99Ms).toBe(7);
  expect(figures.finishedPerSecond).toBeCloseTo(3 / 1.905);
  expect(figures.cpuSecondsPer1000).toBe(2);
  expect(figures.redisCpuSecondsPer1000).toBe(0.5);
  expect(figures.memoryMb).toBe(100);
  expect([figures.serverCores, figures.generatorCores]).toEqual([0.02, 0.1]);
});

test("of a server that was killed, the lateness after that counts", () => {
  const restart = { killedAtMs: 1_400, readyMs: 260 };
  const figures = figuresOf({ ...seen, restart }, lateness);
  expect(figures.latenessP99Ms).toBe(400);
  expect(figures.readyMs).toBe(260);
});

test("a server that acknowledged nothing has rates of 0", () => {
  const load = { ...seen.load, ackedAtMs: sentAtMs.map(() => 0) };
  const figures = figuresOf({ ...seen, load, log: { asked: [], sent: [] } }, []);
  expect([figures.acksPerSecond, figures.finishedPerSecond, figures.ackP99Ms]).toEqual([0, 0, 0]);
});
