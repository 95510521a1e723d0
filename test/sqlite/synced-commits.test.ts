import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { openStore } from "../../src/engines/sqlite/store.ts";
import type { Taken } from "../../src/model/take.ts";
import { StatementLog } from "./statement-log.ts";
import { Talk } from "./talk.ts";

/** What a message and a turn may wait for the disk, whatever comes between their steps. */
const PER_MESSAGE = 1;
const PER_TURN = 2;

let folder = "";
let talk: Talk;
const log = new StatementLog();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-synced-"));
  log.start();
  talk = await Talk.open(join(folder, "lull.db"));
  log.take();
});

afterEach(async () => {
  await talk.engine.close();
  log.stop();
  rmSync(folder, { recursive: true });
});

/**
 * Commits that are on the disk when they return. What SQLite really syncs is counted on a disk that forgets
 * (`power-cut.test.ts`), where there is a compiler for it.
 */
function syncedCommits(): number {
  let isSynced = false;
  // What only reads has begun otherwise, and has nothing to sync.
  let isWriting = false;
  return log.take().filter(({ did, sql }) => {
    if (sql.startsWith("BEGIN")) isWriting = sql === "BEGIN IMMEDIATE";
    const [, how] = /^PRAGMA synchronous = (\w+)/.exec(sql) ?? [];
    if (how !== undefined) isSynced = how === "full";
    return did === "run" && sql === "COMMIT" && isWriting && isSynced;
  }).length;
}

/** What may come between the steps of a turn. */
const MEANWHILE: Readonly<Record<string, (taken?: Taken) => Promise<unknown>>> = {
  nothing: async () => {},
  "a message of the same person": () => talk.stage("ana"),
  "a message of another person": () => talk.stage("ben"),
  "a look for due work": () => talk.engine.turns.takeDue(1, new AbortController().signal),
  "a renewal of its lease": async (taken) => taken && talk.engine.turns.renew(taken.lease),
};

it.each(Object.keys(MEANWHILE))(
  "a message is one synced commit and a turn two, with %s in between",
  async (name) => {
    const meanwhile = MEANWHILE[name]!;
    await talk.stage("ana");
    await talk.windowEnds();
    const taken = await talk.take();
    await meanwhile(taken);
    await talk.draft(taken);
    await meanwhile(taken);
    await talk.commit(taken);
    await meanwhile();
    const messages = name.startsWith("a message") ? 4 : 1;
    expect(syncedCommits()).toBe(messages * PER_MESSAGE + PER_TURN);
  },
);

it("turns that run at the same time cost two synced commits each, and no more", async () => {
  const people = ["ana", "ben", "cyd"];
  for (const person of people) await talk.stage(person);
  await talk.windowEnds();
  const taken = [await talk.take(), await talk.take(), await talk.take()];
  for (const each of taken) await talk.draft(each);
  for (const each of taken) await talk.commit(each);
  expect(syncedCommits()).toBe(people.length * (PER_MESSAGE + PER_TURN));
});

it("what is asked for at once shares one synced commit; looks, also beside reads, wait for no disk", () => {
  const file = join(folder, "group.db");
  const options = { file, synchronous: "full", settings: settingsWith({}), holder: "here" } as const;
  const store = openStore(options);
  const nowMs = talk.request("ana").arrival.arrivedAtMs;
  const stage = (person: string) => ({ name: "stage" as const, input: [talk.request(person)], nowMs });
  const look = { name: "takeDue" as const, input: 10, nowMs: nowMs + 60_000 };
  log.take();
  store.runGroup(["ana", "ben", "cyd", "ana"].map(stage));
  expect(syncedCommits()).toBe(1);
  const { replies } = store.runGroup([look]);
  expect(replies).toMatchObject([{ ok: true, result: { outcomes: [{}, {}, {}] } }]);
  expect(syncedCommits()).toBe(0);
  const nextLook = { ...look, nowMs: nowMs + 3_600_000 };
  const beside = store.runGroup([{ name: "holders", input: undefined as never, nowMs }, nextLook]).replies;
  expect(beside).toMatchObject([{ ok: true }, { ok: true, result: { outcomes: [{}, {}, {}] } }]);
  expect(syncedCommits()).toBe(0);
  store.runGroup([stage("dan"), look]);
  expect(syncedCommits()).toBe(1);
  store.close();
});
