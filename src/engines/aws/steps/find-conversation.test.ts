import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import type { GivenSettings } from "../../../model/settings.ts";
import { as } from "../../../testing/engine-contract/builders.ts";

const NUMBER = "+15550100";
const KEY = { primary_channel: `whatsapp:${NUMBER}`, conversation_id: "theirs" };
const ROW = { ...KEY, task_complete: 0, channel_type: "whatsapp", created_at: "2025-12-31T10:00:00.000Z" };

/** A customer of WhatsApp whose row has the provider's prefix in its key. */
async function prefixed(settings: Partial<GivenSettings> = {}) {
  const channels = { test: { type: "whatsapp", window: { kind: "fixed", lengthMs: 10_000 } } } as const;
  const made = await memoryScene({ admission: "known", channels, ...settings });
  made.fixture.write("conversations", ROW);
  const row = () => made.fixture.row("conversations", KEY);
  const write = (text: string) => made.s.receive({ sender: NUMBER, text });
  return { ...made, row, write };
}

describe.each(["on-receipt", "on-turn"] as const)("a row keyed with a prefix, checked %s", (validation) => {
  it("is found by the bare number, answered and updated", async () => {
    const { s, row, write } = await prefixed({ validation });
    await write("hi");
    await s.windowPasses();
    const taken = await s.take();
    expect([taken.conversation.id, taken.conversation.sender]).toEqual(["theirs", NUMBER]);
    expect(row()?.conversation_status).toBe("processing_reply");
    await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 1_000, reason: "503" });
    expect(row()?.conversation_status).toBe("processing_error");
    await s.passes(1_000);
    await s.reply(await s.take());
    expect(row()?.conversation_status).toBe("reply_sent");
    await s.atRest();
  });
});

describe("a row keyed with a prefix", () => {
  it("is the latest of its customer's, also where there is one without", async () => {
    const { s, fixture, write } = await prefixed();
    const older = {
      ...ROW,
      primary_channel: NUMBER,
      conversation_id: "ours",
      created_at: "2025-12-30T10:00:00Z",
    };
    fixture.write("conversations", older);
    expect((await write("hi")).conversationId).toBe("theirs");
    fixture.write("conversations", { ...older, created_at: "2026-01-01T00:00:00Z" });
    expect((await write("hi again")).conversationId).toBe("ours");
    await s.windowPasses();
    expect(await s.turns()).toHaveLength(2);
  });

  it("is no row of a customer of another channel", async () => {
    const sms = { test: { type: "sms", window: { kind: "fixed", lengthMs: 10_000 } } } as const;
    const { s } = await prefixed({ channels: sms });
    expect(as("refused", await s.deliver(s.arrival({ sender: NUMBER }))).code).toBe("CONVERSATION_NOT_FOUND");
  });

  it.each([NUMBER, `whatsapp:${NUMBER}`])("is found by a trigger that says %s", async (sender) => {
    const { s, fixture, write } = await prefixed();
    await write("hi");
    await s.windowPasses();
    fixture.loseTriggers();
    const outcome = await s.engine.turns.take("theirs", { sender, channel: "test" });
    await s.reply(as("turn", outcome).taken);
    await s.atRest();
  });

  it("is found by its id, whichever way a note of ours spells its customer", async () => {
    const { s, fixture, row } = await prefixed();
    expect((await s.detail("theirs")).conversation.sender).toBe(NUMBER);
    fixture.write("state", { conversation_id: "theirs", primary_channel: NUMBER });
    const other = await fixture.open("worker-2");
    expect(await other.conversations.change("theirs", { paused: true })).toMatchObject({ paused: true });
    expect(row()?.paused).toBe(true);
    expect(
      await other.conversations.say({
        id: "said",
        conversationId: "theirs",
        channel: "test",
        to: NUMBER,
        texts: ["hello"],
        author: "operator",
      }),
    ).toBe("staged");
    expect((await s.take()).outbound?.texts).toEqual(["hello"]);
  });

  it("is a dead letter's conversation, and is erased with its person", async () => {
    const { s, fixture, row, write } = await prefixed();
    await write("hi");
    await s.windowPasses();
    const { lease } = await s.take();
    await s.engine.turns.release(lease, { kind: "dead-letter", reason: "never" });
    expect(row()?.conversation_status).toBe("processing_error");
    fixture.write("state", { conversation_id: "theirs", primary_channel: NUMBER });
    const other = await fixture.open("worker-2");
    expect(await other.conversations.erase("theirs")).toBe("erased");
    expect(row()).toBeUndefined();
    expect(await fixture.keeps!()).not.toContain(NUMBER);
  });
});
