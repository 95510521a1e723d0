import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { textsOf } from "../../../testing/engine-contract/builders.ts";
import { wakeAt } from "./window.ts";

const HOUR = 3_600_000;

describe("a window whose trigger got lost", () => {
  it("gets another from the sweeper when its grace is over, and keeps its id and its due time", async () => {
    const { s, fixture } = await memoryScene();
    const { conversationId, dueAtMs } = await s.receive("hi");
    const key = { conversation_id: conversationId };
    const { window_id, due_at_ms } = fixture.row("triggerLock", key)!;
    await fixture.loseTriggers();
    await s.passes(dueAtMs + s.settings.graceMs - s.nowMs - 1);
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(0);
    await s.passes(1);
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(1);
    expect(fixture.row("triggerLock", key)).toMatchObject({ window_id, due_at_ms });
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(0);
    expect(textsOf(await s.take())).toEqual(["hi"]);
  });

  it("gets another from the next message that finds it overdue, and not from one before", async () => {
    const { s, fixture } = await memoryScene();
    const { dueAtMs } = await s.receive("one");
    await fixture.loseTriggers();
    await s.receive("two");
    expect(fixture.triggers()).toEqual([]);
    await s.passes(dueAtMs + s.settings.graceMs - s.nowMs);
    expect((await s.receive("three")).dueAtMs).toBe(dueAtMs);
    expect(fixture.triggers()).toHaveLength(1);
    expect(textsOf(await s.take())).toEqual(["one", "two", "three"]);
  });

  it("gets another if it would come later than any queue delays, from the sweeper or a message", async () => {
    for (const wakes of ["sweeper", "message"]) {
      const { s, fixture } = await memoryScene();
      const { conversationId } = await s.receive("one");
      const row = fixture.row("triggerLock", { conversation_id: conversationId })!;
      fixture.write("triggerLock", { ...row, trigger_at_ms: s.nowMs + HOUR });
      await fixture.loseTriggers();
      if (wakes === "sweeper") expect((await s.engine.sweeping.sweep()).retriggered).toBe(1);
      else await s.receive("two");
      expect(fixture.triggers()).toHaveLength(1);
    }
  });
});

describe("a window", () => {
  it("keeps its id and its due time, however often a worker looks while it may not be answered", async () => {
    const { s, fixture } = await memoryScene();
    const { conversationId, dueAtMs } = await s.receive("hi");
    const key = { conversation_id: conversationId };
    const { window_id } = fixture.row("triggerLock", key)!;
    await s.engine.conversations.change(conversationId, { paused: true });
    for (let looks = 0; looks < 3; looks += 1) {
      await s.passes(HOUR);
      await s.nothingDue();
      expect(fixture.row("triggerLock", key)).toMatchObject({ window_id, due_at_ms: dueAtMs });
    }
  });

  it("takes the place of a lock that is not ours, so that the sweeper would find it", async () => {
    const { s, fixture } = await memoryScene();
    const { conversationId } = await s.receive("one");
    const key = { conversation_id: conversationId };
    fixture.write("triggerLock", { ...key, expires_at: 1 });
    await fixture.loseTriggers();
    const { dueAtMs } = await s.receive("two");
    expect(fixture.row("triggerLock", key)).toMatchObject({ due_at_ms: dueAtMs, armed_at_ms: s.nowMs });
    expect(fixture.triggers()).toHaveLength(1);
  });
});

describe("to be woken", () => {
  const trigger = { conversationId: "c", sender: "ana", channel: "test" };

  it("in time needs no second trigger, and sooner does", async () => {
    const { s, fixture } = await memoryScene();
    const context = fixture.context();
    await wakeAt(context, trigger, { dueAtMs: s.nowMs + 10_000 });
    await wakeAt(context, trigger, { dueAtMs: s.nowMs + 10_000 });
    await wakeAt(context, trigger, { dueAtMs: s.nowMs + 20_000 });
    expect(fixture.triggers()).toHaveLength(1);
    await wakeAt(context, trigger, { dueAtMs: s.nowMs + 5_000 });
    const times = fixture.triggers().map(({ wakeAtMs }) => wakeAtMs - s.nowMs);
    expect(times).toEqual([10_000, 5_000]);
    expect(fixture.row("triggerLock", { conversation_id: "c" })).toMatchObject({
      due_at_ms: s.nowMs + 10_000,
      trigger_at_ms: s.nowMs + 5_000,
    });
  });

  it("needs another trigger when the one of the window has come", async () => {
    const { s, fixture } = await memoryScene();
    const context = fixture.context();
    await wakeAt(context, trigger, { dueAtMs: s.nowMs });
    await fixture.loseTriggers();
    await wakeAt(context, trigger, { dueAtMs: s.nowMs });
    expect(fixture.triggers()).toHaveLength(1);
  });
});
