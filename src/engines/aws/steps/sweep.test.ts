import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

describe("a lapsed lease", () => {
  it("is triggered at once, and again after a minute if no worker came", async () => {
    const { s, fixture } = await memoryScene();
    await s.turnFor("hi");
    await fixture.loseTriggers();
    await s.passes(s.settings.leaseMs + s.settings.clockSkewMs - 1);
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(0);
    await s.passes(1);
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(1);
    expect(fixture.triggers()).toHaveLength(1);
    await s.passes(59_999);
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(0);
    await s.passes(1);
    expect((await s.engine.sweeping.sweep()).retriggered).toBe(1);
  });

  it("is triggered once more when the worker that took it lapses as well, however soon", async () => {
    const { s, fixture } = await memoryScene({ leaseMs: 15_000 });
    await s.turnFor("hi");
    for (let death = 0; death < 3; death += 1) {
      await fixture.loseTriggers();
      await s.leaseLapses();
      expect((await s.engine.sweeping.sweep()).retriggered).toBe(1);
      const [trigger] = fixture.triggers();
      await s.engine.turns.take(trigger!.conversationId);
    }
  });
});

describe("a sweep", () => {
  it("of tables that fit into one round keeps no place to go on from", async () => {
    const { s, fixture } = await memoryScene();
    await s.receive("hi");
    expect((await s.engine.sweeping.sweep()).hasMore).toBe(false);
    const kept = () => fixture.row("state", { conversation_id: "lull/sweep" });
    expect(kept()).toBeUndefined();
  });

  it("reports the foreign rows of a page in one line, with how many there are", async () => {
    const { s, fixture } = await memoryScene();
    const { conversationId } = await s.receive("hi");
    for (const message_sid of ["web/web/a-visitor/1", "web/web/a-visitor/2"])
      fixture.write("stage", { conversation_id: conversationId, message_sid, received_at: "soon" });
    await s.engine.sweeping.sweep();
    expect(fixture.told("store.quarantined")).toMatchObject([
      {
        table: "conversations-stage",
        rows: 2,
        conversation: conversationId,
        item: expect.any(String),
        reason: expect.stringMatching(/received_at|kind/),
      },
    ]);
    // Told, and counted, once: each sweep meets them again.
    await s.passes(60_000);
    await s.engine.sweeping.sweep();
    fixture.write("stage", { conversation_id: conversationId, message_sid: "third", received_at: "soon" });
    await s.engine.sweeping.sweep();
    expect(fixture.told("store.quarantined").map(({ rows }) => rows)).toEqual([2, 1]);
    // What names a person stays out of the log: the row is found by its hash, or in the quarantine list.
    expect(JSON.stringify(fixture.told("store.quarantined"))).not.toContain("a-visitor");
  });

  it("drops what was answered and is still staged: it is no orphan", async () => {
    const { s, fixture } = await memoryScene();
    const { conversationId, id } = await s.receive("hi");
    const key = { conversation_id: conversationId, message_sid: id };
    const row = fixture.row("stage", key)!;
    await s.windowPasses();
    await s.reply(await s.take());
    fixture.write("stage", row);
    await s.passes(s.settings.graceMs);
    expect((await s.engine.sweeping.sweep()).orphans).toEqual([]);
    expect(fixture.row("stage", key)).toBeUndefined();
  });

  it("finds no orphan where a window or a lease stands", async () => {
    const { s } = await memoryScene();
    await s.turnFor("held");
    await s.receive({ sender: "ben", text: "gathering" });
    await s.passes(s.settings.graceMs);
    expect((await s.engine.sweeping.sweep()).orphans).toEqual([]);
  });
});
