import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BROUGHT_BYTES_MAX, settingsWith } from "../../core/defaults.ts";
import type { TurnRecord } from "../../model/turn.ts";
import type { Engine, StageRequest } from "../../ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { transact } from "./connection.ts";
import { sqlite } from "./index.ts";
import { Recent, RowCache } from "./row-cache.ts";
import { openSession } from "./session.ts";

let folder = "";
let engine: Engine;
const clock = fakeClock();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-cache-"));
  const settings = settingsWith({});
  const context = { clock, settings, holder: "here", log: () => {}, onArmed: () => {} };
  engine = await sqlite({ file: join(folder, "lull.db") }).open(context);
});

afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

let count = 0;
function from(sender: string): StageRequest {
  count += 1;
  return { arrival: arrival({ providerId: `m${count}`, sender, arrivedAtMs: clock.nowMs() }) };
}

/** Its step makes the conversation, and then throws. */
function broken(sender: string): StageRequest {
  const { arrival: whole } = from(sender);
  return { arrival: { ...whole, media: undefined } } as never;
}

/** The reader's connection knows nothing of what the writer's remembers. */
async function answerFirst(sender: string): Promise<void> {
  const [staged] = await engine.receiving.stage([from(sender)]);
  if (staged?.kind !== "staged") throw new Error("it was not staged");
  expect(await engine.conversations.get(staged.conversationId)).toMatchObject({ sender });
  await clock.advance(10_000);
  const taken = await engine.turns.take(staged.conversationId);
  if (taken.kind !== "turn") throw new Error("no turn is due");
  const draft = draftFor(taken.taken);
  await engine.turns.draft(taken.taken.lease, draft);
  await engine.turns.commit(taken.taken.lease, replied(taken.taken, allSent(draft)));
  expect(await engine.inspector.conversation(staged.conversationId)).toMatchObject({
    conversation: { sender, status: "reply_sent" },
    turns: [{ outcome: "replied" }],
  });
}

describe("nothing is known of rows", () => {
  it("that were undone, since a request failed that shared their transaction", async () => {
    const together = [engine.receiving.stage([from("cora")]), engine.receiving.stage([broken("bea")])];
    const settled = await Promise.allSettled(together);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    // Carried out a second time, it does not take the window of the first time for its own.
    expect((await engine.inspector.locks({ limit: 2 })).items).toMatchObject([{ staged: 1 }]);
    await answerFirst("bea");
  });

  it("once another connection has committed", () => {
    let version = 1;
    const cache = new RowCache(() => version);
    cache.refresh();
    cache.states.put("a", undefined);
    cache.refresh();
    expect(cache.states.has("a")).toBe(true);
    version = 2;
    cache.refresh();
    expect(cache.states.has("a")).toBe(false);
  });
});

/** Changes the file behind the engine's back, after which nothing is known of it; then nothing else does. */
function change(sql: string): void {
  const database = new DatabaseSync(join(folder, "lull.db"), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

describe("a conversation whose record is not as its columns say", () => {
  const conversationOf = async (sender: string) => {
    const [outcome] = await engine.receiving.stage([from(sender)]);
    return outcome?.kind === "staged" ? outcome.conversationId : "";
  };

  it.each(["json_set(record, '$.taskComplete', json('true'))", "json_set(record, '$.taskComplete', 1)"])(
    "gets no message more once it is known to be complete: %s",
    async (record) => {
      const old = await conversationOf("ana");
      change(
        `UPDATE conversations SET record = ${record}, task_complete = ${record.includes("true") ? 0 : 1}`,
      );
      const next = [await conversationOf("ana"), await conversationOf("ana")];
      expect(next[0]).not.toBe(old);
      expect(next[1]).toBe(next[0]);
    },
  );
});

it("a conversation keeps its sender and its address: under others it would not be found", async () => {
  const session = openSession({ file: join(folder, "other.db"), synchronous: "off", nowMs: () => 0 });
  const { conversations } = session.tables;
  const [staged] = await engine.receiving.stage([from("ana")]);
  if (staged?.kind !== "staged") throw new Error("it was not staged");
  const ana = (await engine.conversations.get(staged.conversationId))!;
  transact(session.database, () => {
    conversations.put(ana);
    for (const other of [{ sender: "bea" }, { address: "elsewhere" }, { channelType: "sms" }])
      expect(() => conversations.put({ ...ana, ...other })).toThrow("keeps its sender");
    expect(conversations.active(ana, ["ana"])).toEqual([ana]);
  });
  session.database.close();
});

describe("a history", () => {
  it("is read as far as each asks for it", async () => {
    const session = openSession({ file: join(folder, "other.db"), synchronous: "off", nowMs: () => 0 });
    const { history } = session.tables;
    const said = (text: string) => ({ role: "user" as const, text, atMs: 1, media: [], turnId: "t" });
    const turn = { turnId: "t", conversationId: "c", committedAtMs: 1 } as TurnRecord;
    const short = (max: number) => history.shortMessages("c", max, 8_000)?.map(({ text }) => text);
    transact(session.database, () => {
      for (const text of ["one", "two", "three", "four"]) history.append(turn, [said(text)]);
      expect(short(2)).toEqual(["three", "four"]);
      expect(short(3)).toEqual(["two", "three", "four"]);
      history.append(turn, [said("five")]);
      expect(short(2)).toEqual(["four", "five"]);
      expect(short(9)).toEqual(["one", "two", "three", "four", "five"]);
    });
    session.database.close();
  });

  it("that is long comes with no turn, however it grew", async () => {
    await engine.close();
    const settings = { ...settingsWith({}), bringsHistory: true };
    const context = { clock, settings, holder: "here", log: () => {}, onArmed: () => {} };
    engine = await sqlite({ file: join(folder, "lull.db") }).open(context);
    const media = [{ url: `https://example.test/${"x".repeat(9_000)}`, contentType: "image/png" }];
    const lengths: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const { arrival: sent } = from("ana");
      await engine.receiving.stage([{ arrival: { ...sent, media } }]);
      await clock.advance(10_000);
      const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
      if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
      const { taken } = outcomes[0];
      lengths.push(JSON.stringify(taken.history ?? []).length);
      const draft = draftFor(taken);
      await engine.turns.draft(taken.lease, draft);
      await engine.turns.commit(taken.lease, replied(taken, allSent(draft)));
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(BROUGHT_BYTES_MAX);
  });
});

it("what a caller changes in an answer is changed in no row that is kept", async () => {
  await engine.close();
  const context = { clock, settings: settingsWith({}), holder: "here", log: () => {}, onArmed: () => {} };
  engine = await sqlite({ file: join(folder, "lull.db"), writer: "inline" }).open(context);
  await engine.receiving.stage([from("ana")]);
  await clock.advance(10_000);
  const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
  if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
  const { taken } = outcomes[0];
  Object.assign(taken.conversation, { handedOff: true });
  expect((await engine.turns.draft(taken.lease, draftFor(taken))).kind).toBe("drafted");
});

describe("recent values", () => {
  it("are not kept under a long key", () => {
    const recent = new Recent<number>();
    recent.put("x".repeat(401), 1);
    expect(recent.has("x".repeat(401))).toBe(false);
  });

  it("are so many: what was not asked for lately makes room", () => {
    const recent = new Recent<number>(4);
    recent.put("a", 1);
    recent.put("b", 2);
    expect(recent.get("a")).toBe(1);
    recent.put("c", 3);
    expect(["a", "b", "c"].map((key) => recent.has(key))).toEqual([true, false, true]);
  });

  it("that were put again are not told as they were", () => {
    const recent = new Recent<number | undefined>(4);
    recent.put("a", 1);
    recent.put("b", 2);
    recent.put("a", undefined);
    expect([recent.has("a"), recent.get("a")]).toEqual([true, undefined]);
    recent.delete("a");
    expect(recent.has("a")).toBe(false);
  });

  it("are not kept if they are long, nor is the one before", () => {
    const recent = new Recent<string>();
    recent.keep("a", "short", 5);
    expect(recent.get("a")).toBe("short");
    recent.keep("a", "long", 4_001);
    expect(recent.has("a")).toBe(false);
  });

  it("may be that there is none, which is read once", () => {
    const recent = new Recent<string | undefined>();
    let reads = 0;
    const read = () => {
      reads += 1;
      return undefined;
    };
    for (let time = 0; time < 2; time += 1) expect(recent.getOr("a", read)).toBeUndefined();
    expect(reads).toBe(1);
  });
});
