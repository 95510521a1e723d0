import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import type { GivenSettings } from "../../../model/settings.ts";
import { allSent, draftFor, replied } from "../../../testing/engine-contract/builders.ts";
import type { Item } from "../dynamo/expression.ts";
import { legacyFrom } from "../items/message-item.ts";

const KEY = { primary_channel: "ana", conversation_id: "theirs" };
const USAGE = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
const THEIRS = {
  role: "assistant",
  body: "Hello Ana",
  message_sid: "SM1",
  timestamp: "2025-12-31T10:00:00Z",
};

/** A conversation of another system's, whose row shows our newest messages, too. */
async function mirroring(row: Item = {}, settings: Partial<GivenSettings> = {}) {
  const { s, fixture } = await memoryScene({ mirrorMessages: 4, ...settings });
  fixture.write("conversations", { ...KEY, task_complete: 0, ...row });
  const messages = () => fixture.row("conversations", KEY)?.messages as Item[] | undefined;
  const bodies = () => messages()?.map(({ body }) => body);
  const lacking = () => fixture.told("conversation.not-updated").map(({ lacks }) => lacks);
  const talk = async (...texts: string[]) => {
    const taken = await s.turnFor(...texts);
    const draft = draftFor(taken, [`re ${texts[0]}`, "and more"]);
    await s.engine.turns.draft(taken.lease, draft);
    await s.engine.turns.commit(taken.lease, replied(taken, allSent(draft), { usage: USAGE }));
    return taken;
  };
  return { s, fixture, messages, bodies, lacking, talk };
}

describe("the newest messages, mirrored in the conversation's row", () => {
  it("have the names and ids that the row's other readers know", async () => {
    const { fixture, messages, talk } = await mirroring();
    const opened = new Date(fixture.clock.nowMs()).toISOString();
    const taken = await talk("hi", "are you open?");
    const sid = fixture.row("conversations", KEY)?.last_assistant_message_sid;
    expect(sid).toBe(`out-${taken.turnId}-1`);
    expect(messages()).toEqual([
      {
        message_sid: taken.messages[0]!.providerId,
        role: "user",
        body: "hi\nare you open?",
        timestamp: opened,
        lull_turn_id: taken.turnId,
      },
      {
        message_sid: sid,
        role: "assistant",
        body: "re hi\nand more",
        timestamp: new Date(fixture.clock.nowMs()).toISOString(),
        prompt_tokens: 3,
        completion_tokens: 4,
        total_tokens: 7,
        lull_turn_id: taken.turnId,
      },
    ]);
  });

  it("read back as they were said, and count once in the history", async () => {
    const { s, messages, talk } = await mirroring({ messages: [THEIRS] });
    await talk("one");
    await talk("two");
    const history = await s.engine.conversations.history("theirs", 10);
    expect(history.map(({ text }) => text)).toEqual([
      ...["Hello Ana", "one", "re one\nand more", "two", "re two\nand more"],
    ]);
    const said = ({ role, text, atMs }: { role: string; text: string; atMs: number }) => ({
      role,
      text,
      atMs,
    });
    expect(messages()!.map((entry) => said(legacyFrom(entry)!))).toEqual(history.map(said));
  });

  it.each([null, "many", new Set(["x"])])(
    "are there from the first turn on where counts are %j",
    async (count) => {
      const counts = { prompt_tokens: count, completion_tokens: count, total_tokens: count };
      const { fixture, bodies, lacking, talk } = await mirroring({ messages: [THEIRS], ...counts });
      await talk("one");
      await talk("two");
      expect(bodies()).toEqual(["Hello Ana", "one", "re one\nand more", "two", "re two\nand more"]);
      expect(lacking()).toEqual([]);
      expect(fixture.row("conversations", KEY)).toMatchObject({ prompt_tokens: 3, prompt_tokens_sum: 6 });
    },
  );

  it("are there beside a total that cannot be added to, which stays its owner's", async () => {
    const { fixture, bodies, lacking, talk } = await mirroring({ total_tokens_sum: "many" });
    await talk("one");
    expect(bodies()).toEqual(["one", "re one\nand more"]);
    expect(lacking()).toEqual(["total_tokens_sum"]);
    expect(fixture.row("conversations", KEY)).toMatchObject({ total_tokens: 7, total_tokens_sum: "many" });
  });

  it("are as many as wanted; those of the other system stay, in their places", async () => {
    const { fixture, bodies, talk } = await mirroring({ messages: [THEIRS] }, { mirrorMessages: 3 });
    await talk("one");
    const row = fixture.row("conversations", KEY)!;
    const messages = [...(row.messages as Item[]), { ...THEIRS, body: "again" }];
    fixture.write("conversations", { ...row, messages });
    await talk("two");
    expect(bodies()).toEqual(["Hello Ana", "re one\nand more", "again", "two", "re two\nand more"]);
  });

  it("lose none that the other system adds at the same moment", async () => {
    const { fixture, bodies, lacking, talk } = await mirroring({ messages: [THEIRS] });
    fixture.before("request.transact", async () => {
      const row = fixture.row("conversations", KEY)!;
      const messages = [...(row.messages as Item[]), { ...THEIRS, body: "meanwhile" }];
      fixture.write("conversations", { ...row, messages });
    });
    await talk("one");
    expect(bodies()).toEqual(["Hello Ana", "meanwhile", "one", "re one\nand more"]);
    expect(lacking()).toEqual([]);
  });

  it("are given up where the list changes all the time: the turn is committed", async () => {
    const { s, fixture, bodies, lacking, talk } = await mirroring({ messages: [] });
    let count = 0;
    const addMore = async () => {
      count += 1;
      const row = fixture.row("conversations", KEY)!;
      fixture.write("conversations", { ...row, messages: [{ ...THEIRS, body: `${count}` }] });
      fixture.before("request.transact", addMore);
    };
    fixture.before("request.transact", addMore);
    await talk("one");
    expect(bodies()).toEqual([`${count}`]);
    expect(lacking()).toEqual(["messages"]);
    expect((await s.detail("theirs")).turns).toHaveLength(1);
    expect(fixture.row("conversations", KEY)?.conversation_status).toBe("reply_sent");
  });

  it("fill a row to its limit: the oldest of ours go first, and the other system's never", async () => {
    const notes = "x".repeat(390_000);
    const { bodies, lacking, talk } = await mirroring({ messages: [THEIRS], notes });
    await talk("1".repeat(4_000));
    await talk("2".repeat(4_000));
    const kept = bodies()!.map((body) => String(body).slice(0, 4));
    expect(kept).toEqual(["Hell", "2222", "re 2"]);
    expect(lacking()).toEqual([]);
  });

  it("cost a row without room nothing but themselves", async () => {
    const notes = "x".repeat(399_000);
    const { s, fixture, lacking, talk } = await mirroring({ messages: [THEIRS], notes });
    await talk("1".repeat(1_000));
    const row = fixture.row("conversations", KEY)!;
    expect([row.messages, row.conversation_status, row.total_tokens]).toEqual([[THEIRS], "reply_sent", 7]);
    expect(lacking()).toEqual(["messages"]);
    await s.atRest();
  });

  it.each([["a text"], [{ a: 1 }], [[2 ** 60]], [[{ tokens: -(2 ** 60) }]]])(
    "leave alone what we could not write back: %j",
    async (messages) => {
      const { fixture, lacking, talk } = await mirroring({ messages });
      await talk("one");
      expect(fixture.row("conversations", KEY)?.messages).toEqual(messages);
      expect(lacking()).toEqual(["messages"]);
    },
  );

  it("are dropped with the next turn once they are past their retention", async () => {
    const { s, bodies, talk } = await mirroring({ messages: [THEIRS] }, { retentionMs: 3_600_000 });
    await talk("one");
    await s.passes(3_700_000);
    await talk("two");
    expect(bodies()).toEqual(["Hello Ana", "two", "re two\nand more"]);
  });

  it("that another system copies into a later conversation are its past there, and stay", async () => {
    const { s, fixture, messages, talk } = await mirroring({}, { mirrorMessages: 2 });
    await talk("one");
    const first = fixture.row("conversations", KEY)!;
    fixture.write("conversations", { ...first, task_complete: 1 });
    const later = { ...KEY, conversation_id: "later", task_complete: 0, created_at: "2026-06-01T00:00:00Z" };
    fixture.write("conversations", { ...later, messages: messages() });
    const past = async () => (await s.engine.conversations.history("later", 9)).map(({ text }) => text);
    expect(await past()).toEqual(["one", "re one\nand more"]);
    for (const text of ["two", "three"]) expect((await talk(text)).conversation.id).toBe("later");
    const rowOfLater = fixture.row("conversations", later)!;
    expect((rowOfLater.messages as Item[]).map(({ body }) => body)).toEqual([
      ...["one", "re one\nand more", "three", "re three\nand more"],
    ]);
    expect(await past()).toEqual([
      ...["one", "re one\nand more", "two", "re two\nand more", "three", "re three\nand more"],
    ]);
  });

  it.each(["not-ours", ".", "x.another", 7])(
    "are told from entries of others that name a turn of their own: %j",
    async (lull_turn_id) => {
      const { s, bodies, talk } = await mirroring({ messages: [{ ...THEIRS, lull_turn_id }] });
      for (const text of ["one", "two", "three"]) await talk(text);
      expect(bodies()?.[0]).toBe("Hello Ana");
      expect((await s.engine.conversations.history("theirs", 10))[0]?.text).toBe("Hello Ana");
    },
  );

  it("have no past in what neither side said", async () => {
    const notes = { role: "system", body: "You sell shoes." };
    const { s, bodies, talk } = await mirroring({ messages: [notes, THEIRS] });
    await talk("one");
    const history = await s.engine.conversations.history("theirs", 10);
    expect(history.map(({ text }) => text)).toEqual(["Hello Ana", "one", "re one\nand more"]);
    expect(bodies()?.[0]).toBe("You sell shoes.");
  });

  it("cost one read more, and nothing where they are off", async () => {
    const requests = async (mirrorMessages: number) => {
      const { s, fixture } = await mirroring({}, { mirrorMessages });
      const taken = await s.turnFor("hi");
      const draft = draftFor(taken);
      await s.engine.turns.draft(taken.lease, draft);
      fixture.requests.length = 0;
      await s.engine.turns.commit(taken.lease, replied(taken, allSent(draft)));
      return [...fixture.requests];
    };
    const without = await requests(0);
    expect(await requests(4)).toEqual(["request.get", ...without]);
  });
});
