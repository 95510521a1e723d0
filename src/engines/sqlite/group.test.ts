import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { Engine, StageRequest } from "../../ports/engine.ts";
import { arrival } from "../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { inOneCommit } from "./group.ts";
import { sqlite } from "./index.ts";
import { openSession } from "./session.ts";
import type { TimedRequest } from "./step-request.ts";

const clock = fakeClock();
const soon = new AbortController().signal;
let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-group-"));
  file = join(folder, "lull.db");
});

afterEach(() => rmSync(folder, { recursive: true }));

let count = 0;
function from(sender: string, text = "hi"): StageRequest {
  count += 1;
  return { arrival: arrival({ providerId: `m${count}`, sender, text, arrivedAtMs: clock.nowMs() }) };
}

/** What another program sees of the file. */
function onDisk(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

function change(sql: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

const PEOPLE_STAGED = `SELECT json_extract(item, '$.sender') AS sender FROM staged ORDER BY 1`;
const NOT_LOOKED_AFTER = `SELECT id FROM staged
  WHERE conversation_id NOT IN (SELECT conversation_id FROM states)`;
const WITHOUT_RECORD = `SELECT id FROM staged WHERE conversation_id NOT IN (SELECT id FROM conversations)`;

/** What SQLite may do to a transaction when one of its statements fails. */
const FATES = ["ABORT", "FAIL", "ROLLBACK"] as const;
const BAD = `json_extract(NEW.item, '$.sender') = 'bad'`;
/** Where it fails: on its own row, or on one of the tables that it wrote before. */
const PLACES = {
  "its message": `CREATE TRIGGER bad AFTER INSERT ON staged WHEN ${BAD} BEGIN SELECT RAISE(FATE, 'no'); END`,
  "its record": `CREATE TRIGGER bad AFTER INSERT ON conversations WHEN NEW.sender = 'bad'
    BEGIN SELECT RAISE(FATE, 'no'); END`,
};

describe("of requests that share a commit, each is told what is on disk", () => {
  let engine: Engine;
  beforeEach(async () => {
    const settings = settingsWith({});
    engine = await sqlite({ file }).open({
      clock,
      settings,
      holder: "here",
      log: () => {},
      onArmed: () => {},
    });
    await engine.receiving.stage([from("zoe")]);
  });
  afterEach(() => engine.close());

  const cases = FATES.flatMap((fate) =>
    Object.entries(PLACES).flatMap(([place, sql]) =>
      [0, 1, 3].map((at) => ({ fate, place, trigger: sql.replace("FATE", fate), at })),
    ),
  );

  it.each(cases)("$fate at $place, as number $at of the group", async ({ trigger, at }) => {
    change(trigger);
    const people = ["ana", "ben", "cyd"].toSpliced(at, 0, "bad");
    const staging = people.map((person) => engine.receiving.stage([from(person)]));
    const settled = await Promise.allSettled([...staging, engine.conversations.pauseAll(true)]);
    expect(settled.map(({ status }) => status)).toEqual(
      [...people, "pause"].map((who) => (who === "bad" ? "rejected" : "fulfilled")),
    );
    expect(onDisk(PEOPLE_STAGED).map(({ sender }) => sender)).toEqual(["ana", "ben", "cyd", "zoe"]);
    expect(onDisk(NOT_LOOKED_AFTER)).toEqual([]);
    expect(onDisk(WITHOUT_RECORD)).toEqual([]);
    expect((await engine.inspector.counts()).paused).toBe(true);
    // And what is known of rows is so: the next of each is staged beside the one before.
    for (const person of ["ana", "ben", "cyd", "zoe"])
      expect((await engine.receiving.stage([from(person)]))[0]?.kind).toBe("staged");
    expect(onDisk(NOT_LOOKED_AFTER)).toEqual([]);
  });

  it.each(FATES)(
    "a look that one conversation ends by %s puts it off, and takes the others",
    async (fate) => {
      const [staged] = await engine.receiving.stage([from("bad")]);
      if (staged?.kind !== "staged") throw new Error("it was not staged");
      change(`CREATE TRIGGER bad BEFORE UPDATE ON states
      WHEN NEW.holder IS NOT NULL AND NEW.conversation_id = '${staged.conversationId}'
      BEGIN SELECT RAISE(${fate}, 'no'); END`);
      await clock.advance(10_000);
      // The first look may fail as a whole: then nothing of it is on disk, and the next one goes on.
      const looks = [engine.turns.takeDue(10, soon)];
      await Promise.allSettled(looks);
      looks.push(engine.turns.takeDue(10, soon));
      const outcomes = (await Promise.allSettled(looks)).flatMap((look) =>
        look.status === "fulfilled" ? look.value.outcomes : [],
      );
      const taken = outcomes.flatMap((each) =>
        each.kind === "turn" ? [each.taken.conversation.sender] : [],
      );
      expect(taken).toEqual(["zoe"]);
      expect(onDisk("SELECT count(*) AS held FROM states WHERE holder IS NOT NULL")).toEqual([{ held: 1 }]);
    },
  );
});

describe("on a disk that is full", () => {
  const settings = settingsWith({});

  function scene() {
    const nowMs = clock.nowMs();
    const session = openSession({ file, synchronous: "full", nowMs: () => nowMs });
    const { database, cache, tables, salt } = session;
    const stage = (...given: Parameters<typeof from>): TimedRequest => ({
      name: "stage",
      nowMs,
      input: [from(...given)],
    });
    const run = (requests: readonly TimedRequest[], onCall = () => {}) => {
      const replies = inOneCommit(
        database,
        requests,
        (_request, apart) => {
          onCall();
          const ids = { holder: "here", newId: randomUUID, secret: salt, armed: () => {} };
          return { tables, settings, nowMs, ...ids, ...(apart && { apart }) };
        },
        {
          onError: () => {},
          onBegin: () => cache.refresh(),
          onUndone: () => cache.undo(),
          onCommitted: () => cache.committed(),
        },
      );
      return replies.map(({ ok }) => ok);
    };
    const fillUp = () => {
      const pages = Number(database.prepare("PRAGMA page_count").get()?.page_count);
      database.exec(`PRAGMA max_page_count = ${pages + 3}`);
    };
    return { stage, run, fillUp, close: () => database.close() };
  }

  it("what fits is staged, and what does not is told so", () => {
    const { stage, run, fillUp, close } = scene();
    run([stage("zoe")]);
    fillUp();
    expect(run([stage("ana", "x".repeat(60_000)), stage("ben")])).toEqual([false, true]);
    expect(onDisk(PEOPLE_STAGED)).toEqual([{ sender: "ben" }, { sender: "zoe" }]);
    expect(onDisk(NOT_LOOKED_AFTER)).toEqual([]);
    close();
  });

  it("no request goes on where another program could write in between", () => {
    const { stage, run, fillUp, close } = scene();
    run([stage("ben")]);
    fillUp();
    const other = new DatabaseSync(file, { timeout: 0 });
    const tries = new Set<string>();
    run([stage("ana", "x".repeat(60_000)), stage("ben"), stage("ben")], () => {
      try {
        other.exec("BEGIN IMMEDIATE; DELETE FROM staged; DELETE FROM states; COMMIT");
        tries.add("written");
      } catch (error) {
        tries.add((error as Error).message);
      }
    });
    expect([...tries]).toEqual(["database is locked"]);
    other.close();
    expect(onDisk(NOT_LOOKED_AFTER)).toEqual([]);
    close();
  });
});
