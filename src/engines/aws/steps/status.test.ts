import { describe, expect, it } from "vitest";
import { long } from "../../../../test/aws/simulated/long-numbers.ts";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { isoOf } from "../../../core/instant.ts";
import type { ReleaseReason } from "../../../model/release.ts";
import type { GivenSettings } from "../../../model/settings.ts";
import type { Taken } from "../../../model/take.ts";
import { draftFor, silent } from "../../../testing/engine-contract/builders.ts";

const KEY = { primary_channel: "ana", conversation_id: "theirs" };
const ROW = { ...KEY, task_complete: 0, conversation_status: "initial_message_sent" };

/** A conversation of the other system's, in a turn of ours. */
async function inTurn(settings: Partial<GivenSettings> = {}, options = {}) {
  const { s, fixture } = await memoryScene(settings, options);
  fixture.write("conversations", ROW);
  const taken = await s.turnFor("hi");
  expect(taken.conversation.id).toBe("theirs");
  const status = () => fixture.row("conversations", KEY)?.conversation_status;
  const shown = async () => (await s.detail("theirs")).conversation.status;
  const release = (taken: Taken, how: ReleaseReason) => s.engine.turns.release(taken.lease, how);
  return { s, fixture, taken, status, shown, release };
}

const FAILED: ReleaseReason = { kind: "retry", afterMs: 30_000, reason: "503" };

describe.each([{ losesAnswers: false }, { losesAnswers: true }])(
  "what the row says of a turn: %j",
  (answers) => {
    it("is an error between two attempts, and then what it was", async () => {
      const { s, taken, status, shown, release } = await inTurn({}, answers);
      expect(status()).toBe("processing_reply");
      await release(taken, FAILED);
      expect(status()).toBe("processing_error");
      // To us nothing is wrong yet: it is tried again.
      expect(await shown()).toBe("initial_message_sent");
      await s.passes(30_000);
      const again = await s.take();
      expect([again.attempt, status()]).toEqual([2, "processing_reply"]);
      await release(again, FAILED);
      await s.passes(30_000);
      const last = await s.take();
      await s.engine.turns.commit(last.lease, silent(last));
      expect(status()).toBe("initial_message_sent");
      await s.atRest();
    });

    it.each(["put-back", "restart"] as const)(
      "is what it was before a turn that ended by %s",
      async (kind) => {
        const { s, taken, status, release } = await inTurn({ whileBusy: "restart" }, answers);
        await release(taken, { kind });
        expect(status()).toBe("initial_message_sent");
        await s.windowPasses();
        await s.reply(await s.take());
        expect(status()).toBe("reply_sent");
      },
    );

    it("stays while a late answer is awaited, and is an error for good with a dead letter", async () => {
      const { s, taken, status, release } = await inTurn({}, answers);
      const draft = draftFor(taken, [], { awaitingUntilAtMs: s.nowMs + 60_000 });
      await release(taken, { kind: "wait", afterMs: 60_000, draft });
      expect(status()).toBe("processing_reply");
      await s.passes(61_000);
      await release(await s.take(), { kind: "dead-letter", reason: "no answer" });
      expect([status(), (await s.dead()).length]).toEqual(["processing_error", 1]);
      const next = await s.turnFor("again");
      expect(next.conversation.status).toBe("processing_error");
    });
  },
);

describe("what the row says of a turn", () => {
  it("is not ours any more once its owner wrote another status", async () => {
    const { s, fixture, taken, status, release } = await inTurn();
    fixture.write("conversations", { ...ROW, conversation_status: "archived" });
    await release(taken, FAILED);
    expect(status()).toBe("archived");
    await s.passes(30_000);
    const again = await s.take();
    await s.engine.turns.commit(again.lease, silent(again));
    expect(status()).toBe("archived");
  });

  it("is what it was when nothing is left of a turn whose process died", async () => {
    const { s, fixture, taken, status } = await inTurn();
    await s.leaseLapses();
    const theirs = { conversation_id: "theirs" };
    for (const { id } of taken.messages) fixture.remove("stage", { ...theirs, message_sid: id });
    expect(status()).toBe("processing_reply");
    await s.nothingDue();
    expect(status()).toBe("initial_message_sent");
    await s.atRest();
  });

  it("costs no request more than a release without it", async () => {
    const { s, fixture, taken, release } = await inTurn();
    fixture.requests.length = 0;
    await release(taken, FAILED);
    const ours = [...fixture.requests];
    await s.passes(30_000);
    const again = await s.take();
    fixture.requests.length = 0;
    const draft = draftFor(again, [], { awaitingUntilAtMs: s.nowMs + 60_000 });
    await release(again, { kind: "wait", afterMs: 60_000, draft });
    expect(ours.length).toBe(fixture.requests.length);
  });

  it("needs no room: without it the turn is released, and it is told", async () => {
    const { fixture, taken, release } = await inTurn();
    const row = fixture.row("conversations", KEY)!;
    fixture.write("conversations", { ...row, notes: "x".repeat(400 * 1_024) });
    expect((await release(taken, FAILED)).kind).toBe("released");
    expect(fixture.told("conversation.not-updated").map(({ lacks }) => lacks)).toEqual([
      "conversation_status",
    ]);
  });
});

describe("side by side with a system that takes the status for a lock", () => {
  const due = async () => {
    const { s, fixture } = await memoryScene({ honourStatus: true });
    fixture.write("conversations", ROW);
    await s.receive("hi");
    await s.windowPasses();
    return { s, fixture, status: () => fixture.row("conversations", KEY)?.conversation_status };
  };

  it("of two that take it at the same moment one gets it, and nothing is counted for the other", async () => {
    const { s, fixture, status } = await due();
    fixture.before("request.transact", () => fixture.says!("theirs", "processing_reply"));
    await s.nothingDue();
    expect(status()).toBe("processing_reply");
    await fixture.says!("theirs", "reply_sent");
    await s.passes(60_000);
    const taken = await s.take();
    expect([taken.attempt, status()]).toEqual([1, "processing_reply"]);
    await s.reply(taken);
    expect(status()).toBe("reply_sent");
    await s.atRest();
  });

  const leftBehind = async (noted: (nowMs: number) => unknown) => {
    const { s, fixture, status } = await due();
    const theirs = { ...ROW, conversation_status: "processing_reply" };
    const write = () => fixture.write("conversations", { ...theirs, updated_at: noted(s.nowMs) });
    write();
    await s.nothingDue();
    await s.passes(s.settings.honourStatusForMs + s.settings.clockSkewMs);
    return { s, fixture, status, write };
  };

  it.each([
    ["without a time", () => undefined],
    ["whose time is NULL", () => null],
    ["whose time is in nanoseconds", (nowMs: number) => long(`${nowMs}123457`)],
    ["whose time is no time at all", () => long("-1e100")],
  ])("a processing that was left behind in a row %s is taken over", async (_, noted) => {
    const { s, fixture, status } = await leftBehind(noted);
    const taken = await s.take();
    expect(fixture.told("conversation.not-updated")).toEqual([]);
    await s.reply(taken);
    expect(status()).toBe("reply_sent");
    await s.atRest();
  });

  describe.each([
    ["as we write times", (nowMs: number) => isoOf(nowMs)],
    ["in seconds", (nowMs: number) => Math.floor(nowMs / 1_000)],
    [
      "in seconds of many digits",
      (nowMs: number) => long(`${Math.floor(nowMs / 1_000)}.1234567165374755859375`),
    ],
    ["as text without its zone's letter", (nowMs: number) => isoOf(nowMs).replace("Z", "+00:00")],
  ])("a processing that was left behind, its time noted %s", (_, noted) => {
    it("is taken over", async () => {
      const { s, status } = await leftBehind(noted);
      const taken = await s.take();
      expect(taken.conversation.status).toBe("new");
      await s.reply(taken);
      expect(status()).toBe("reply_sent");
      await s.atRest();
    });

    it("is theirs if the next one begins at that moment", async () => {
      const { s, fixture, status, write } = await leftBehind(noted);
      fixture.before("request.transact", async () => write());
      await s.nothingDue();
      expect(status()).toBe("processing_reply");
      await fixture.says!("theirs", "reply_sent");
      await s.passes(60_000);
      const taken = await s.take();
      expect([taken.attempt, taken.conversation.status]).toEqual([1, "reply_sent"]);
      await s.reply(taken);
      await s.atRest();
    });

    it("is given up for the row's own word if its system ends it at that moment", async () => {
      const { s, fixture } = await leftBehind(noted);
      fixture.before("request.transact", () => fixture.says!("theirs", "reply_sent"));
      expect((await s.take()).conversation.status).toBe("reply_sent");
    });
  });

  it("what a row says that had no room for our word is not ours", async () => {
    const { s, fixture } = await due();
    fixture.write("conversations", { ...ROW, conversation_status: "", notes: "x".repeat(400 * 1_024 - 85) });
    const taken = await s.take();
    expect(fixture.told("conversation.not-updated").length).toBe(1);
    fixture.write("conversations", { ...ROW, conversation_status: "processing_reply" });
    await s.engine.turns.release(taken.lease, FAILED);
    expect(fixture.row("conversations", KEY)?.conversation_status).toBe("processing_reply");
    await s.passes(30_000);
    await s.nothingDue();
  });

  it("a row that is removed at that moment keeps no turn back", async () => {
    const { s, fixture } = await due();
    fixture.before("request.transact", async () => fixture.remove("conversations", KEY));
    await s.reply(await s.take());
    await s.atRest();
  });

  it("a row without room for the status keeps no turn back", async () => {
    const { s, fixture } = await due();
    fixture.write("conversations", { ...ROW, conversation_status: "", notes: "x".repeat(400 * 1_024 - 150) });
    await s.reply(await s.take());
    await s.atRest();
    expect(fixture.told("conversation.not-updated").length).toBeGreaterThan(0);
  });
});
