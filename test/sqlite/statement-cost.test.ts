import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Asked, StatementLog, seesCompiling } from "./statement-log.ts";
import { Talk } from "./talk.ts";

/** Statements that run. What is added shows here; what is saved, too: then these are the new numbers. */
const STATEMENTS = {
  "a new person's message": 12,
  "the first message of a burst": 9,
  "another message of the burst": 8,
  "a message that was here before": 7,
  "a look that takes a turn": 15,
  "a draft": 3,
  "a renewal": 2,
  "a commit": 8,
  "a look that finds nothing due": 3,
};
/** Beside these: how durable it has to be, whether it is so (not where it rides along), BEGIN, COMMIT. */
const PER_COMMIT = { synced: 4, ridingAlong: 3 };

/** Compiled again by SQLite whenever they run, since their limit is bound. None is the aim. */
const COMPILED_AGAIN = [/^SELECT rowid AS number, conversation_id AS id FROM states/, /^WITH latest AS/];

const RIDES_ALONG = new Set(["a look that takes a turn", "a renewal"]);
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

function perCommit(what: string): number {
  if (NO_COMMIT.has(what)) return 0;
  return RIDES_ALONG.has(what) ? PER_COMMIT.ridingAlong : PER_COMMIT.synced;
}

it("a message and a turn run these many statements, and no more", async () => {
  const found = Object.entries(await settledLife()).map(([what, asked]) => [
    what,
    asked.filter(({ did }) => did === "run").length - perCommit(what),
  ]);
  expect(Object.fromEntries(found)).toEqual(STATEMENTS);
});

it("nothing is compiled for a message or a turn but what begins and ends its commit", async () => {
  for (const [what, asked] of Object.entries(await settledLife())) {
    const compiled = asked.filter(({ did }) => did === "compile").map(({ sql }) => sql);
    expect(compiled.filter((sql) => !/^(BEGIN|COMMIT|PRAGMA)/.test(sql))).toEqual([]);
    expect([what, compiled.length]).toEqual([what, perCommit(what)]);
  }
});

it.skipIf(!seesCompiling)("no statement is compiled again when it runs", async () => {
  await life("+15550000002");
  log.watchCompiling();
  await life("+15550000003");
  const again = Object.values(await life("+15550000004"))
    .flat()
    .filter(({ did, sql }) => did === "compile again" && !COMPILED_AGAIN.some((known) => known.test(sql)));
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
