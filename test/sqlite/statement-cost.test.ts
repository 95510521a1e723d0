import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Asked, StatementLog, seesCompiling } from "./statement-log.ts";
import { Talk } from "./talk.ts";

/** Statements that run. What is added shows here; what is saved, too: then these are the new numbers. */
const STATEMENTS = {
  "a new person's message": 12,
  "the first message of a burst": 4,
  "another message of the burst": 3,
  "a message that was here before": 2,
  "a look that takes a turn": 4,
  "a draft": 1,
  "a renewal": 1,
  "a commit": 5,
  "a look that finds nothing due": 2,
};
/**
 * Beside these: BEGIN, COMMIT, and whether another connection has written; also how durable it has to be,
 * where that changes, and whether it is so. Of these, all but the third are compiled whenever they run.
 */
const IS_AROUND = /^(BEGIN|COMMIT|PRAGMA)/;
const COMPILED_AROUND_MAX = 4;

const NO_COMMIT = new Set(["a look that finds nothing due"]);
type What = keyof typeof STATEMENTS;

let folder = "";
let talk: Talk;
const log = new StatementLog();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-statements-"));
  log.start();
  talk = await Talk.open(join(folder, "lull.db"));
});

afterEach(async () => {
  await talk.engine.close();
  log.stop();
  rmSync(folder, { recursive: true });
});

const ANA = "+15550000001";

/** A burst of two, its turn, and what else happens to every message; each in a commit of its own. */
async function life(person: string): Promise<Record<What, readonly Asked[]>> {
  const during = async (work: () => Promise<unknown>) => {
    log.take();
    await work();
    return log.take();
  };
  const first = await during(() => talk.stage(ANA));
  const again = talk.request(ANA);
  const next = await during(() => talk.engine.receiving.stage([again]));
  const known = await during(() => talk.engine.receiving.stage([again]));
  await talk.windowEnds();
  const taken = await talk.take();
  const look = log.take();
  const draft = await during(() => talk.draft(taken));
  const renewal = await during(() => talk.engine.turns.renew(taken.lease));
  const commit = await during(() => talk.commit(taken));
  const vain = await during(() => talk.engine.turns.takeDue(1, new AbortController().signal));
  const newcomer = await during(() => talk.stage(person));
  await talk.turn();
  return {
    "a new person's message": newcomer,
    "the first message of a burst": first,
    "another message of the burst": next,
    "a message that was here before": known,
    "a look that takes a turn": look,
    "a draft": draft,
    "a renewal": renewal,
    "a commit": commit,
    "a look that finds nothing due": vain,
  };
}

/** What is only done the first time is over. */
async function settledLife(): Promise<Record<What, readonly Asked[]>> {
  await life("+15550000002");
  return life("+15550000003");
}

it("a message and a turn run these many statements, and no more", async () => {
  const found = Object.entries(await settledLife()).map(([what, asked]) => [
    what,
    asked.filter(({ did, sql }) => did === "run" && !IS_AROUND.test(sql)).length,
  ]);
  expect(Object.fromEntries(found)).toEqual(STATEMENTS);
});

it("nothing is compiled for a message or a turn but what begins and ends its commit", async () => {
  for (const [what, asked] of Object.entries(await settledLife())) {
    const compiled = asked.filter(({ did }) => did === "compile").map(({ sql }) => sql);
    expect(compiled.filter((sql) => !IS_AROUND.test(sql))).toEqual([]);
    expect(compiled.length).toBeLessThanOrEqual(NO_COMMIT.has(what) ? 0 : COMPILED_AROUND_MAX);
  }
});

it.skipIf(!seesCompiling)("no statement is compiled again when it runs", async () => {
  await life("+15550000002");
  log.watchCompiling();
  await life("+15550000003");
  const again = Object.values(await life("+15550000004"))
    .flat()
    .filter(({ did }) => did === "compile again");
  expect(again.map(({ sql }) => sql)).toEqual([]);
});

/** A list that was counted out before; the latest turns, fifty at most, are sorted once more. */
const IS_SHORT = /^SCAN (json_each|latest|CONSTANT)/;
const SORTS_FEW = /^WITH latest AS/;

function slowPartsOf(sql: string): string[] {
  const plan = log.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  const details = plan.map(({ detail }) => detail);
  const scans = details.filter((detail) => /^SCAN|AUTOMATIC/.test(detail) && !IS_SHORT.test(detail));
  const sorts = details.filter((detail) => /TEMP B-TREE/.test(detail) && !SORTS_FEW.test(sql));
  return [...scans, ...sorts].map((part) => `${part}: ${sql}`);
}

it("every statement of theirs finds its rows by a key, in the order that it wants them", async () => {
  const ran = Object.values(await settledLife()).flat();
  const isOnTables = (sql: string) => /^(SELECT|WITH|INSERT|UPDATE|DELETE)/.test(sql);
  const texts = new Set(ran.map(({ sql }) => sql).filter(isOnTables));
  expect(texts.size).toBeGreaterThan(15);
  expect([...texts].flatMap(slowPartsOf)).toEqual([]);
});

it("what is set for projects is read by one statement, however many there are", async () => {
  for (const project of ["acme", "beta", "constructor"])
    await talk.engine.conversations.changeProject(project, { paused: true });
  log.take();
  expect((await talk.engine.inspector.projectChanges()).size).toBe(3);
  const ran = log.take().filter(({ did, sql }) => did === "run" && !IS_AROUND.test(sql));
  expect(ran.map(({ sql }) => sql)).toHaveLength(1);
  expect(ran.flatMap(({ sql }) => slowPartsOf(sql))).toEqual([]);
});

/** That look goes through all that waits. */
describe("a sweep of many rounds looks for who holds leases", () => {
  const PEOPLE = 600;
  const looks = () =>
    log.take().filter(({ did, sql }) => did === "run" && /DISTINCT holder/.test(sql)).length;

  beforeEach(async () => {
    for (let at = 0; at < PEOPLE; at += 1) await talk.stage(`+1555${String(at).padStart(7, "0")}`);
    log.take();
  });

  it("once", async () => {
    let rounds = 1;
    while ((await talk.engine.sweeping.sweep()).hasMore) rounds += 1;
    expect(rounds).toBeGreaterThan(2);
    expect(looks()).toBe(1);
    await talk.engine.sweeping.sweep();
    expect(looks()).toBe(1);
  });

  it("once more when it begins again, since a round has failed", async () => {
    expect(await talk.engine.sweeping.sweep()).toMatchObject({ hasMore: true });
    log.database.exec("PRAGMA query_only = ON");
    await expect(talk.engine.sweeping.sweep()).rejects.toThrow("readonly");
    log.database.exec("PRAGMA query_only = OFF");
    log.take();
    await talk.engine.sweeping.sweep();
    expect(looks()).toBe(1);
  });
});
