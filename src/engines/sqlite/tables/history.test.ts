import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../../core/defaults.ts";
import type { GivenSettings } from "../../../model/settings.ts";
import type { Taken } from "../../../model/take.ts";
import type { Engine } from "../../../ports/engine.ts";
import { allSent, arrival, draftFor, replied, silent } from "../../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { sqlite } from "../index.ts";

let folder = "";
let engine: Engine;
const clock = fakeClock();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-history-"));
  await open();
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function open(given: Partial<GivenSettings> = {}): Promise<void> {
  engine = await sqlite({ file: join(folder, "lull.db"), writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith(given),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
}

const written = () => statSync(join(folder, "lull.db-wal")).size;

it("the callbacks for a reply, three of them, write no page: that it was sent is known", async () => {
  const { receiving, turns } = engine;
  await receiving.stage([{ arrival: arrival({ providerId: "m1", arrivedAtMs: clock.nowMs() }) }]);
  await clock.advance(10_000);
  const { outcomes } = await turns.takeDue(1, new AbortController().signal);
  if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
  const { taken } = outcomes[0];
  const sent = allSent(draftFor(taken));
  await turns.draft(taken.lease, draftFor(taken));
  await turns.commit(taken.lease, replied(taken, sent));
  const { state } = sent.chunks[0]!;
  const providerId = state.kind === "sent" ? state.providerId : "";
  const before = written();
  for (const status of ["sent", "delivered", "read"]) {
    const chunk = { turnId: taken.turnId, chunk: 0 };
    const told = { account: "account", providerId, status, chunk };
    expect(await receiving.recordDelivery("test", told)).toBe("recorded");
  }
  expect(written()).toBe(before);
});

let count = 0;
async function take(text: string): Promise<Taken> {
  count += 1;
  const message = arrival({ providerId: `said-${count}`, text, arrivedAtMs: clock.nowMs() });
  await engine.receiving.stage([{ arrival: message }]);
  await clock.advance(10_000);
  const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
  if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
  return outcomes[0].taken;
}

async function answer(taken: Taken): Promise<void> {
  await engine.turns.draft(taken.lease, draftFor(taken));
  await engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken))));
}

function writeFromElsewhere(): void {
  const database = new DatabaseSync(join(folder, "lull.db"), { timeout: 5_000 });
  database.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('elsewhere', '')");
  database.close();
}

describe("a take that brings the history along", () => {
  beforeEach(async () => {
    await engine.close();
    await open({ bringsHistory: true, historyMessagesMax: 5 });
  });

  it("brings what a request for it would give", async () => {
    for (const text of ["one", "two", "three", "four"]) {
      const taken = await take(text);
      expect(taken.history).toEqual(await engine.conversations.history(taken.conversation.id, 5));
      await answer(taken);
    }
    const { history } = await take("five");
    expect(history?.map(({ text }) => text)).toEqual(["ok", "three", "ok", "four", "ok"]);
  });

  it("brings as much where turns had no reply, and where another process wrote some of it", async () => {
    for (const text of ["one", "two", "three", "four", "five", "six"]) {
      const taken = await take(text);
      expect(taken.history).toEqual(await engine.conversations.history(taken.conversation.id, 5));
      await engine.turns.commit(taken.lease, silent(taken));
      // What was known of the file is not certain any more: it is read anew.
      if (text === "four") writeFromElsewhere();
    }
    const { history } = await take("seven");
    expect(history?.map(({ text }) => text)).toEqual(["two", "three", "four", "five", "six"]);
  });

  it("takes fewer turns at once where their histories are as much as a batch may hold", async () => {
    const people = ["ana", "ben", "cyd"];
    const stageAll = async () => {
      for (const sender of people) {
        count += 1;
        const message = arrival({ providerId: `said-${count}`, sender, arrivedAtMs: clock.nowMs() });
        await engine.receiving.stage([{ arrival: { ...message, text: "x".repeat(3_000) } }]);
      }
      await clock.advance(10_000);
    };
    const takeAll = async () => (await engine.turns.takeDue(9, new AbortController().signal)).outcomes;
    await stageAll();
    for (const outcome of await takeAll()) if (outcome.kind === "turn") await answer(outcome.taken);
    await engine.close();
    await open({ bringsHistory: true, batchBytesMax: 6_500 });
    await stageAll();
    expect([(await takeAll()).length, (await takeAll()).length]).toEqual([2, 1]);
  });

  it("leaves a long one to a request of its own", async () => {
    await answer(await take("x".repeat(16_000)));
    expect((await take("and now?")).history).toBeUndefined();
  });

  it("leaves one that an older version wrote to a request of its own", async () => {
    const taken = await take("hello");
    const { id } = taken.conversation;
    const old = { role: "user", text: "hi", media: [], atMs: 1, turnId: "t" };
    const database = new DatabaseSync(join(folder, "lull.db"), { timeout: 5_000 });
    database
      .prepare("INSERT INTO messages (conversation_id, at_ms, record) VALUES (?, 1, ?)")
      .run(id, JSON.stringify(old));
    database.close();
    await answer(taken);
    expect((await take("and now?")).history).toBeUndefined();
    expect(await engine.conversations.history(id, 5)).toHaveLength(3);
  });
});
