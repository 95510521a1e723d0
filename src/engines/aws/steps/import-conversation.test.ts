import { beforeEach, describe, expect, it } from "vitest";
import { type MemoryFixture, memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import type { KeptConversation } from "../../../ports/engine.ts";
import { idOf, type Scene } from "../../../testing/engine-contract/scene.ts";

const HOUR = 3_600_000;

describe("a conversation that another engine kept", () => {
  let s: Scene;
  let fixture: MemoryFixture;
  let kept: KeptConversation;
  const messageOf = (providerId: string) => s.arrival({ providerId });

  beforeEach(async () => {
    ({ s, fixture } = await memoryScene());
    const turn = (turnId: string, agoMs: number) => ({
      turnId,
      conversationId: "c",
      outcome: "replied" as const,
      messageIds: [idOf(messageOf(turnId))],
      channel: "test",
      providerIds: [],
      attempts: 1,
      restarts: 0,
      openedAtMs: s.nowMs - agoMs,
      dueAtMs: s.nowMs - agoMs,
      takenAtMs: s.nowMs - agoMs,
      committedAtMs: s.nowMs - agoMs,
    });
    const said = (turnId: string, agoMs: number) => [
      {
        role: "user" as const,
        text: `asked in ${turnId}`,
        media: [],
        atMs: s.nowMs - agoMs - 10_000,
        turnId,
      },
      { role: "assistant" as const, text: `told in ${turnId}`, media: [], atMs: s.nowMs - agoMs, turnId },
    ];
    kept = {
      conversation: {
        id: "c",
        channelType: "test",
        address: "lull",
        sender: "ana",
        status: "processing_reply",
        projectStatus: "active",
        taskComplete: false,
        handedOff: true,
        handOffReason: "asked for it",
        paused: false,
        attributes: { plan: "gold" },
        promptTokens: 3,
        completionTokens: 4,
        totalTokens: 7,
        createdAtMs: s.nowMs - 1_000 * HOUR,
        updatedAtMs: s.nowMs - HOUR,
      },
      messages: [...said("old", 7 * 24 * HOUR), ...said("new", 7 * 24 * HOUR - 1)],
      names: new Map(),
      turns: [turn("old", 7 * 24 * HOUR), turn("new", 7 * 24 * HOUR - 1)],
    };
  });

  const here = async () => (await s.detail("c")).conversation;

  it("is taken in whole, and its turn does not run here", async () => {
    await (await fixture.open()).importConversation?.(kept);
    expect(await here()).toEqual({ ...kept.conversation, status: "new" });
    const { messages, turns } = await s.detail("c");
    expect(messages).toEqual(kept.messages);
    expect(turns).toEqual(kept.turns);
  });

  it("has nothing answered again that was answered within the dedupe memory", async () => {
    await (await fixture.open()).importConversation?.(kept);
    expect((await s.deliver(messageOf("new"))).kind).toBe("duplicate");
    expect((await s.deliver(messageOf("old"))).kind).toBe("staged");
  });

  it("is the same when it is taken in again, and newer where it went on there", async () => {
    await (await fixture.open()).importConversation?.(kept);
    await (await fixture.open()).importConversation?.(kept);
    expect((await s.detail("c")).messages).toHaveLength(4);
    const later = { ...kept.conversation, paused: true, updatedAtMs: s.nowMs };
    await (await fixture.open()).importConversation?.({ ...kept, conversation: later });
    expect(await here()).toMatchObject({ paused: true, updatedAtMs: s.nowMs });
  });

  it("is left as it is once it was changed here", async () => {
    await (await fixture.open()).importConversation?.(kept);
    await s.engine.conversations.change("c", { handedOff: false });
    const later = { ...kept.conversation, paused: true, updatedAtMs: s.nowMs + HOUR };
    await (await fixture.open()).importConversation?.({ ...kept, conversation: later });
    expect(await here()).toMatchObject({ handedOff: false, paused: false, updatedAtMs: s.nowMs });
  });

  it("is left as it is when it is changed here at that moment", async () => {
    await (await fixture.open()).importConversation?.(kept);
    const later = { ...kept.conversation, paused: true, updatedAtMs: s.nowMs + HOUR };
    fixture.before("request.put", async () => {
      await s.engine.conversations.change("c", { handedOff: false });
    });
    await (await fixture.open()).importConversation?.({ ...kept, conversation: later });
    expect(await here()).toMatchObject({ handedOff: false, paused: false });
  });

  it("is found by its person's other name, and not by a number that they have left", async () => {
    const conversation = { ...kept.conversation, sender: "+15550101", senderAlias: "SV.ana" };
    const names = new Map([
      ["+15550101", { cameWith: ["SV.ana"], whose: { c: "SV.ana" } }],
      ["SV.ana", { cameWith: ["+15550101", "+15550102"] }],
      ["+15550102", { cameWith: ["SV.ana"] }],
    ]);
    await (await fixture.open()).importConversation?.({ ...kept, conversation, names });
    for (const sender of ["SV.ana", "+15550102"])
      expect(await s.receive({ sender })).toMatchObject({ conversationId: "c" });
    expect((await s.receive({ sender: "+15550101" })).conversationId).not.toBe("c");
  });

  it("is found by either name where an older file tells no more than these", async () => {
    const conversation = { ...kept.conversation, sender: "SV.ana", senderAlias: "+15550101" };
    await (await fixture.open()).importConversation?.({ ...kept, conversation });
    for (const sender of ["SV.ana", "+15550101"])
      expect(await s.receive({ sender })).toMatchObject({ conversationId: "c" });
  });

  it("does not take a number back from the person who has come with it here", async () => {
    const { conversationId } = await s.receive({ sender: "SV.ben", senderAlias: "+15550101" });
    const conversation = { ...kept.conversation, sender: "SV.ana", senderAlias: "+15550101" };
    await (await fixture.open()).importConversation?.({ ...kept, conversation });
    expect((await s.receive({ sender: "+15550101" })).conversationId).toBe(conversationId);
  });

  it("keeps a message of a turn without a record at its own time", async () => {
    await (await fixture.open()).importConversation?.({ ...kept, turns: kept.turns.slice(1) });
    const texts = (await s.detail("c")).messages.map(({ text }) => text);
    expect(texts).toEqual(["asked in old", "told in old", "asked in new", "told in new"]);
  });
});
