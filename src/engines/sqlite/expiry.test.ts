import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { GivenSettings } from "../../model/settings.ts";
import type { Engine } from "../../ports/engine.ts";
import { Sweeper } from "../../runtime/sweeper.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { openConnection, transact } from "./connection.ts";
import { deletionsAt, IDS_OVER, NEXT_IDS } from "./expiry.ts";
import { sqlite } from "./index.ts";
import { RowCache } from "./row-cache.ts";
import { Statements } from "./statements.ts";
import { removal } from "./tables/removal.ts";
import { PILE } from "./tables/staged.ts";
import { WAITING } from "./tables/states.ts";

const DAY = 24 * 3_600_000;
const MANY = 5_000;
/** Of the embedded engines: what one round removes at most. */
const ROUND_MAX = 250;

let folder = "";
let file = "";
let clock: FakeClock;
let engine: Engine | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-expiry-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
});
afterEach(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true });
});

async function open(settings: Partial<GivenSettings> = {}): Promise<Engine> {
  engine = await sqlite({ file, writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith(settings),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  return engine;
}

function direct<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const count = (table: string) =>
  direct((database) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n));

/** So many rows of a table, written behind the engine's back. */
function fill(table: string, columns: string, row: (n: number) => (string | number | Buffer)[], rows = MANY) {
  direct((database) => {
    const values = columns.replaceAll(/\w+/g, "?");
    const insert = database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values})`);
    database.exec("BEGIN");
    for (let n = 1; n <= rows; n += 1) insert.run(...row(n));
    database.exec("COMMIT");
  });
}

/** Everything that expires, far more of it than one round removes. */
function fillAll(atMs: number): void {
  const remembered = (n: number) => {
    const key = Buffer.alloc(16);
    key.writeUInt32BE((n * 2_654_435_761) % 2 ** 32);
    return [key, atMs];
  };
  fill("remembered", "key, until_at_ms", remembered);
  fill("messages", "conversation_id, at_ms, record", (n) => [`c${n}`, atMs, "{}"]);
  fill("turns", "turn_id, conversation_id, committed_at_ms, record", (n) => [
    `turn-${n}`,
    `c${n}`,
    atMs,
    "{}",
  ]);
  fill("refusals", "at_ms, record", () => [atMs, "{}"]);
}

/** More of them than a round looks at. */
const FAST = 300;

function fastRows(table: string, atMs: number): void {
  if (table === "messages") fill(table, "conversation_id, at_ms, record", (n) => [`f${n}`, atMs, "{}"], FAST);
  else if (table === "refusals") fill(table, "at_ms, record", () => [atMs, "{}"], FAST);
  else
    fill(
      table,
      "turn_id, conversation_id, committed_at_ms, record",
      (n) => [`fast-${n}`, `f${n}`, atMs, "{}"],
      FAST,
    );
}

const TABLES = ["remembered", "messages", "turns", "refusals"];

describe("what is past its time", () => {
  it("is gone after one sweep, however much it is, in rounds that hold up no writer", async () => {
    const { sweeping } = await open({ retentionMs: DAY });
    fillAll(clock.nowMs() - 40 * DAY);
    const rounds: number[] = [];
    const watched = {
      ...sweeping,
      async sweep() {
        const report = await sweeping.sweep();
        rounds.push(report.expired);
        return report;
      },
    };
    const sweeper = new Sweeper(watched, {
      clock,
      settings: { sweepMs: 5_000 },
      random: () => 0.5,
      log: () => {},
    });
    sweeper.start();
    // It does not wait for the next interval.
    await clock.advance(4_000);
    await sweeper.stop();
    expect(TABLES.map(count)).toEqual([0, 0, 0, 0]);
    expect(Math.max(...rounds)).toBe(ROUND_MAX);
    expect(rounds.length).toBe((TABLES.length * MANY) / ROUND_MAX + 1);
  });

  it("is only what has expired: what is younger stays", async () => {
    const { sweeping } = await open();
    fillAll(clock.nowMs() - 6 * DAY);
    for (let hasMore = true; hasMore; ) hasMore = (await sweeping.sweep()).hasMore === true;
    // Ids go when their own time is over; without a retention messages and turns stay for good.
    expect(TABLES.map(count)).toEqual([0, MANY, MANY, MANY]);
  });

  it("goes on being looked for among what is not: a twentieth may stay until the next sweep", async () => {
    const { sweeping } = await open();
    const key = (n: number) => {
      const bytes = Buffer.alloc(16);
      bytes.writeUInt32BE((n * 2_654_435_761) % 2 ** 32);
      return bytes;
    };
    const isOver = (n: number) => n % 40 === 0;
    fill("remembered", "key, until_at_ms", (n) => [key(n), clock.nowMs() + (isOver(n) ? -DAY : DAY)]);
    const reports = [];
    for (let sweeps = 0; sweeps < MANY / 1_000; sweeps += 1) reports.push(await sweeping.sweep());
    expect(reports.filter(({ hasMore }) => hasMore)).toEqual([]);
    expect(reports.reduce((sum, { expired }) => sum + expired, 0)).toBe(MANY / 40);
    expect(count("remembered")).toBe(MANY - MANY / 40);
  });

  it("of refusals is also what is more than 100,000: any caller causes them", async () => {
    const { sweeping } = await open();
    fill("refusals", "at_ms, record", () => [clock.nowMs(), "{}"], 100_300);
    for (let hasMore = true; hasMore; ) hasMore = (await sweeping.sweep()).hasMore === true;
    expect(count("refusals")).toBe(100_000);
    expect(direct((database) => database.prepare("SELECT min(number) AS first FROM refusals").get())).toEqual(
      {
        first: 301,
      },
    );
  });

  it("goes at its time, also from behind rows that a fast clock wrote", async () => {
    const { sweeping } = await open({ retentionMs: DAY });
    for (const table of ["messages", "turns", "refusals"]) fastRows(table, clock.nowMs() + 365 * DAY);
    fillAll(clock.nowMs() - 40 * DAY);
    for (let hasMore = true; hasMore; ) hasMore = (await sweeping.sweep()).hasMore === true;
    expect(TABLES.map(count)).toEqual([0, FAST, FAST, FAST]);
    // Theirs comes, too.
    await clock.advance(400 * DAY);
    for (let sweeps = 0; sweeps < 1_000; sweeps += 1) await sweeping.sweep();
    expect(TABLES.map(count)).toEqual([0, 0, 0, 0]);
  });

  it("is found by an index or by its number, and never by looking at everything", async () => {
    await open();
    const past = { nowMs: 1, keepAfterMs: 1, refusalsAfterMs: 1, refusalsMax: 1 };
    for (const sql of [...deletionsAt(past).map((removal) => removal.sql), NEXT_IDS, IDS_OVER, PILE]) {
      const plan = direct((database) =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...[...sql.matchAll(/\?/g)].map(() => 1))
          .map((step) => String(step.detail)),
      );
      expect(plan.join("\n"), sql).not.toMatch(/TEMP B-TREE/);
      expect(plan.join("\n"), sql).not.toMatch(/^SCAN (?!\(subquery)/m);
    }
    const waiting = direct((database) => database.prepare(`EXPLAIN QUERY PLAN ${WAITING}`).all("", 1));
    const scanned = waiting.filter(({ detail }) => /^SCAN (?!waiting|CONSTANT)/.test(String(detail)));
    expect(scanned).toEqual([]);
  });
});

describe("a clock that leaps ahead", () => {
  const remember = (days: number) =>
    fill("remembered", "key, until_at_ms", (n) => [Buffer.from(`id-${n}`), clock.nowMs() + days * DAY], 10);

  it("for a moment makes no worker forget what was answered today", async () => {
    const { sweeping } = await open();
    remember(1);
    await sweeping.sweep();
    await clock.advance(2 * DAY);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweeping.sweep();
    clock.setBack(2 * DAY);
    await sweeping.sweep();
    expect(count("remembered")).toBe(10);
  });

  it("for good is believed, a little more with every sweep, also by the next process", async () => {
    const first = await open();
    remember(1 / 24);
    await first.sweeping.sweep();
    await first.close();
    await clock.advance(2 * DAY);
    const { sweeping } = await open();
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await sweeping.sweep();
    expect(count("remembered")).toBe(10);
    await sweeping.sweep();
    expect(count("remembered")).toBe(0);
  });
});

it("what was said is known still when only ids, refusals and older messages are over", () => {
  const database = openConnection({ file, synchronous: "off" });
  const sql = new Statements(database);
  const cache = new RowCache(() => 1);
  const past = { nowMs: 10, keepAfterMs: 10, refusalsAfterMs: 10, refusalsMax: 10 };
  const expire = () => transact(database, () => removal(sql, cache).expire(past, ROUND_MAX).rows);
  const rows = {
    remembered: "INSERT INTO remembered VALUES (x'00112233', 1)",
    refusals: "INSERT INTO refusals VALUES (1, NULL, 1, '{}')",
    messages: "INSERT INTO messages VALUES (1, 'c', 1, '{}')",
    turns: "INSERT INTO turns VALUES (1, 't', 'c', 1, '{}', '[]')",
  };
  const left = Object.entries(rows).map(([table, insert]) => {
    cache.histories.put("c", { messages: [], bytes: 2, messagesMax: 10 });
    database.exec(insert);
    expect(expire()).toBe(1);
    return [table, cache.histories.has("c")];
  });
  database.close();
  expect(left).toEqual([
    ["remembered", true],
    ["refusals", true],
    ["messages", true],
    ["turns", false],
  ]);
});
