import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { sqlite } from "./index.ts";

const HOUR = 3_600_000;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-memories-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const clock = fakeClock();
const file = () => join(folder, "lull.db");

/** How many hours back ids are known to a process that keeps them for so long; a start notes it. */
async function knownFor(hours: number, { starts = false } = {}): Promise<number> {
  const settings = settingsWith({ dedupeMs: hours * HOUR });
  const given = { clock, settings, holder: "w", log: () => {}, onArmed: () => {} };
  const engine = await sqlite({ file: file(), writer: "inline" }).open(given);
  if (starts) await engine.ping();
  const sinceAtMs = await engine.receiving.knownSinceMs();
  await engine.close();
  return (clock.nowMs() - sinceAtMs) / HOUR;
}

it("a new file knows all that it was ever told", async () => {
  expect(await knownFor(168)).toBe(168);
  expect(await knownFor(500)).toBe(500);
});

it("a start notes for how long ids are kept, and a longer time counts from then on", async () => {
  expect(await knownFor(24, { starts: true })).toBe(24);
  expect(await knownFor(168)).toBe(24);
});

it("an older version's file has kept them for a day", async () => {
  await knownFor(168);
  const database = new DatabaseSync(file());
  database.exec("DELETE FROM meta WHERE key = 'memories'");
  database.close();
  expect(await knownFor(168, { starts: true })).toBe(24);
  expect(await knownFor(168)).toBe(24);
});
