import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { turnItems } from "../items/turn-item.ts";
import { history } from "./history.ts";
import { sentBefore } from "./sent-before.ts";

describe("history", () => {
  it("goes on over pages that end before it does", async () => {
    const { s, fixture } = await memoryScene({}, { pageRowsMax: 2 });
    for (const text of ["one", "two", "three"]) await s.talk(text, `re: ${text}`);
    const { id } = (await s.conversations())[0]!;
    const texts = async (max: number) => (await history(fixture.context(), id, max)).map(({ text }) => text);
    const all = ["one", "re: one", "two", "re: two", "three", "re: three"];
    for (const max of [1, 3, 5, 6, 100]) expect(await texts(max)).toEqual(all.slice(-max));
  });

  it("begins with another system's messages only where ours are complete", async () => {
    const { s, fixture } = await memoryScene({}, { pageRowsMax: 1 });
    for (const text of ["one", "two"]) await s.talk(text);
    const { id, sender } = (await s.conversations())[0]!;
    const key = { primary_channel: sender, conversation_id: id };
    fixture.write("conversations", { ...fixture.row("conversations", key), messages: [{ text: "before" }] });
    const texts = async (max: number, bytes?: number) =>
      (await history(fixture.context(), id, max, bytes)).map(({ text }) => text);
    expect(await texts(10)).toEqual(["before", "one", "ok", "two", "ok"]);
    expect(await texts(4)).toEqual(["one", "ok", "two", "ok"]);
    expect(await texts(10, 1)).toEqual(["ok"]);
  });

  describe("of a conversation that 0.1.0 began", () => {
    const old = (id: string, atMs: number, turnId: string) => {
      const at = `${String(atMs).padStart(15, "0")}#`;
      const ofTurn = { conversation_id: id, turn_id: turnId };
      const user = {
        role: "user",
        at_ms: atMs,
        parts: [{ id: "m", text: `${turnId}?`, media: [], arrivedAtMs: atMs }],
      };
      const record = {
        outcome: "replied",
        channel: "test",
        message_ids: ["m"],
        provider_ids: [`SM of ${turnId}`],
      };
      const counts = { attempts: 1, restarts: 0, opened_at_ms: 1, due_at_ms: 2, taken_at_ms: 3 };
      return [
        { ...ofTurn, item_id: `m#${at}000000000`, ...user },
        {
          ...ofTurn,
          item_id: `m#${at}000000001`,
          role: "assistant",
          body: `${turnId}!`,
          media: [],
          at_ms: atMs,
        },
        { ...ofTurn, item_id: `t#${at}000000000`, ...record, ...counts, committed_at_ms: atMs },
      ];
    };

    /** Its turns, among them one that another function still committed in the old way after the upgrade. */
    async function mixed() {
      const { s, fixture } = await memoryScene();
      await s.talk("new", "new!");
      const { id } = (await s.conversations())[0]!;
      const between = s.nowMs + 1_000;
      await s.passes(5_000);
      await s.talk("newest", "newest!");
      const rows = [...old(id, 1_000, "first"), ...old(id, 2_000, "second"), ...old(id, between, "between")];
      for (const row of rows) fixture.write("messages", row);
      return { s, fixture, id };
    }
    const said = [
      "first?",
      "first!",
      "second?",
      "second!",
      "new",
      "new!",
      "between?",
      "between!",
      "newest",
      "newest!",
    ];

    it("tells its turns in the order of their commits, in whichever shape they are", async () => {
      const { s, fixture, id } = await mixed();
      const { messages, turns } = await s.detail(id);
      expect(messages.map(({ text }) => text)).toEqual(said);
      expect(turns.map(({ turnId }) => (turnId.split(".").length > 1 ? "new" : turnId))).toEqual([
        "first",
        "second",
        "new",
        "between",
        "new",
      ]);
      for (const max of [1, 2, 3, 6, 9])
        expect((await history(fixture.context(), id, max)).map(({ text }) => text)).toEqual(said.slice(-max));
      const latest = (await s.engine.inspector.conversation(id, { rowsMax: 2, bytesMax: 1_000_000 }))!;
      expect(latest.turns.map(({ committedAtMs }) => committedAtMs)).toEqual(
        turns.slice(-2).map(({ committedAtMs }) => committedAtMs),
      );
    });

    it("is read with one request more than one that was begun since", async () => {
      const { fixture, id } = await mixed();
      const requests = async (max: number) => {
        fixture.requests.length = 0;
        await history(fixture.context(), id, max);
        return fixture.requests.length;
      };
      // One of them looks for dead letters.
      expect([await requests(2), await requests(9)]).toEqual([2, 3]);
    });

    it("knows what was sent in it", async () => {
      const { fixture, id } = await mixed();
      const sent = await sentBefore(fixture.context(), id);
      expect(sent).toEqual(expect.arrayContaining(["SM of first", "SM of second", "SM of between"]));
      expect(sent).toHaveLength(5);
    });

    it("tells a turn once that was imported in both shapes", async () => {
      const { s, fixture, id } = await mixed();
      const { messages, turns } = await s.detail(id);
      const record = { ...turns[0]!, committedAtMs: 1_000 };
      const items = turnItems(
        { conversationId: id, turnId: "first", said: messages.slice(0, 2), record },
        { atMs: 1_000, retentionMs: 0 },
      );
      for (const item of items) fixture.write("messages", item);
      const again = await s.detail(id);
      expect(again.messages.map(({ text }) => text)).toEqual(said);
      expect(again.turns).toEqual(turns);
    });

    it("is erased whole, with the statuses of its sends", async () => {
      const { s, fixture, id } = await mixed();
      const context = fixture.context();
      await context.installation.load();
      const sent = { id: context.installation.sentKey("test", "SM of first"), status: "sent" };
      fixture.write("seen", sent);
      expect(await s.engine.conversations.erase(id)).toBe("erased");
      expect(fixture.row("seen", { id: sent.id })).toBeUndefined();
      expect(await fixture.keeps!()).not.toContain("first");
    });
  });
});
