import { mkdtempSync, rmSync } from "node:fs";
import { type HeapProfiler, Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Talk } from "./talk.ts";

/**
 * Bytes that are allocated on the way of a message and of a turn through the store, whether or not they are
 * soon garbage: every one of them is collected later, on a processor that messages need. Four fifths of the
 * limits were measured.
 */
const BYTES_MAX = { message: 24_000, turn: 178_000 };
/** Compilers and caches are warm by then. */
const BEFORE = 150;
const COUNTED = 300;
/** A sample stands for as many bytes. A smaller one costs more than what it measures. */
const SAMPLED_EVERY = 1_024;

let folder = "";
let talk: Talk;
const session = new Session();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-allocations-"));
  talk = await Talk.open(join(folder, "lull.db"));
  session.connect();
});

afterEach(async () => {
  session.disconnect();
  await talk.engine.close();
  rmSync(folder, { recursive: true });
});

async function allocatedBy(work: () => Promise<unknown>): Promise<number> {
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: SAMPLED_EVERY,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await work();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  return bytesIn(profile.head);
}

function bytesIn({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesIn(child), selfSize);
}

async function times(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += 1) await work(at);
}

const person = (at: number) => `+1555${String(at % 20).padStart(7, "0")}`;

it("a message allocates no more than it did", async () => {
  await times(BEFORE, (at) => talk.stage(person(at)));
  const bytes = await allocatedBy(() => times(COUNTED, (at) => talk.stage(person(at))));
  expect(bytes / COUNTED).toBeLessThan(BYTES_MAX.message);
  expect(bytes / COUNTED).toBeGreaterThan(BYTES_MAX.message / 3);
});

it("a message and its turn, with what was said before, allocate no more than they did", async () => {
  const turnOf = async (at: number) => {
    await talk.stage(person(at));
    await talk.turn();
  };
  await times(BEFORE, turnOf);
  const bytes = await allocatedBy(() => times(COUNTED, turnOf));
  expect(bytes / COUNTED).toBeLessThan(BYTES_MAX.turn);
  expect(bytes / COUNTED).toBeGreaterThan(BYTES_MAX.turn / 3);
});
