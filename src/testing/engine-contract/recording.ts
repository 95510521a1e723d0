import assert from "node:assert/strict";
import { allSent, as, draftFor, replied, silent } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

/** COMMIT: both sides of a turn, its counters and its times. */
export const recording: readonly EngineCase[] = [
  scene("both sides of every turn are in the history, in order", {}, async (s) => {
    const { id } = (await s.talk("one", "answer one")).conversation;
    const second = await s.turnFor("two", "three");
    await s.reply(second, "answer two");
    const history = await s.engine.conversations.history(id, 10);
    assert.deepEqual(
      history.map(({ role, text }) => [role, text]),
      [
        ["user", "one"],
        ["assistant", "answer one"],
        ["user", "two\nthree"],
        ["assistant", "answer two"],
      ],
    );
    assert.deepEqual(
      history.slice(2).map(({ turnId }) => turnId),
      [second.turnId, second.turnId],
    );
    assert.deepEqual(await s.engine.conversations.history(id, 3), history.slice(1));
    assert.deepEqual(await s.engine.conversations.history(id, 0), []);
  }),

  scene(
    "a turn that comes with its history comes with what is asked for otherwise",
    { bringsHistory: true, historyMessagesMax: 3 },
    async (s) => {
      const asked = async () => {
        const taken = await s.turnFor("and now?");
        const { id } = taken.conversation;
        const history = await s.engine.conversations.history(id, 3, s.own.historyBytesMax);
        return { taken, given: taken.history ?? history, history };
      };
      for (const said of ["one", "two"]) {
        const { taken, given, history } = await asked();
        assert.deepEqual(given, history);
        await s.reply(taken, said);
      }
      const { given } = await asked();
      assert.deepEqual(
        given.map(({ text }) => text),
        ["one", "and now?", "two"],
      );
    },
  ),

  scene("of a history the latest come, as many as fit into their bytes, and always one", {}, async (s) => {
    const { id } = (await s.talk("one", "1".repeat(10_000))).conversation;
    await s.talk("two", "2".repeat(10_000));
    await s.talk("three", "3".repeat(10_000));
    const all = await s.engine.conversations.history(id, 10);
    const within = (bytesMax: number) => s.engine.conversations.history(id, 10, bytesMax);
    assert.equal(all.length, 6);
    assert.deepEqual(await within(25_000), all.slice(2));
    assert.deepEqual(await within(1), all.slice(-1));
    assert.deepEqual(await within(1_000_000), all);
  }),

  scene(
    "a user's side keeps the messages it was merged from, each with its own time and media",
    {},
    async (s) => {
      const media = [{ url: "https://example.test/1.jpg", contentType: "image/jpeg" }];
      const first = await s.receive({ text: "look", sentAtMs: 1_700_000_000_000 });
      await s.passes(1_000);
      const second = await s.receive({ text: "", media, sentAtMs: 1_700_000_001_000 });
      await s.windowPasses();
      const taken = await s.take();
      await s.reply(taken);
      const [user, assistant] = await s.engine.conversations.history(taken.conversation.id, 10);
      const partOf = ({ id, message }: typeof first) => {
        const { text, media: attached, arrivedAtMs, sentAtMs } = message;
        return { id, text, media: attached, arrivedAtMs, sentAtMs };
      };
      assert.deepEqual(user?.parts, [partOf(first), partOf(second)]);
      assert.equal(assistant?.parts, undefined);
    },
  ),

  scene("a running turn shows in the conversation's status, and only while it runs", {}, async (s) => {
    const taken = await s.turnFor("hi");
    const { id } = taken.conversation;
    assert.equal((await s.detail(id)).conversation.status, "processing_reply");
    assert.equal((await s.conversations())[0]?.status, "processing_reply");
    await s.reply(taken);
    assert.equal((await s.detail(id)).conversation.status, "reply_sent");
    await s.turnFor("again");
    await s.leaseLapses();
    assert.equal((await s.detail(id)).conversation.status, "reply_sent");
    await s.take();
    assert.equal((await s.detail(id)).conversation.status, "processing_reply");
    await s.leaseLapses();
    assert.equal((await s.detail(id)).conversation.status, "reply_sent");
  }),

  scene("a committed turn records its messages, sends, usage, attempts and times", {}, async (s) => {
    const openedAtMs = s.nowMs;
    const { id } = await s.receive("hi");
    await s.passes(12_000);
    const taken = await s.take();
    const takenAtMs = s.nowMs;
    await s.passes(1_000);
    const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
    const times = { answerStartedAtMs: takenAtMs, answeredAtMs: s.nowMs - 500, sentAtMs: s.nowMs };
    const draft = allSent(draftFor(taken, ["one", "two"]));
    await s.engine.turns.commit(taken.lease, replied(taken, draft, { usage, ...times }));
    const { turns, conversation } = await s.detail(taken.conversation.id);
    assert.deepEqual(turns, [
      {
        turnId: taken.turnId,
        conversationId: taken.conversation.id,
        outcome: "replied",
        channel: "test",
        messageIds: [id],
        providerIds: [`out-${taken.turnId}-0`, `out-${taken.turnId}-1`],
        attempts: 1,
        restarts: 0,
        usage,
        openedAtMs,
        dueAtMs: openedAtMs + 10_000,
        takenAtMs,
        ...times,
        committedAtMs: s.nowMs,
      },
    ]);
    assert.equal(conversation.status, "reply_sent");
    assert.equal(conversation.updatedAtMs, s.nowMs);
  }),

  scene("tokens add up over a conversation's turns", {}, async (s) => {
    const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
    for (const text of ["one", "two"]) {
      const taken = await s.turnFor(text);
      await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)), { usage }));
    }
    // A turn that reports no usage adds none.
    await s.talk("three");
    const [conversation] = await s.conversations();
    const { promptTokens, completionTokens, totalTokens } = conversation!;
    assert.deepEqual([promptTokens, completionTokens, totalTokens], [20, 10, 30]);
  }),

  scene(
    "a turn without a reply is committed with its outcome, and its message is not answered again",
    {},
    async (s) => {
      for (const outcome of ["no-reply", "refused: PROJECT_INACTIVE"] as const) {
        const taken = await s.turnFor(outcome);
        as("committed", await s.engine.turns.commit(taken.lease, silent(taken, { outcome })));
        const { turns, messages } = await s.detail(taken.conversation.id);
        assert.equal(turns.at(-1)?.outcome, outcome);
        assert.deepEqual([messages.at(-1)?.role, messages.at(-1)?.text], ["user", outcome]);
      }
      await s.atRest();
    },
  ),

  scene(
    "a turn handed to a queue is committed without a reply, and the status says so until the next",
    {},
    async (s) => {
      const first = await s.turnFor("hi");
      as("committed", await s.engine.turns.commit(first.lease, silent(first, { outcome: "queued" })));
      const { id } = first.conversation;
      const { turns, messages, conversation } = await s.detail(id);
      assert.deepEqual([turns.at(-1)?.outcome, conversation.status], ["queued", "queued_for_ai"]);
      assert.deepEqual(
        messages.map(({ role, text }) => [role, text]),
        [["user", "hi"]],
      );
      await s.atRest();
      await s.reply(await s.turnFor("again"));
      assert.equal((await s.detail(id)).conversation.status, "reply_sent");
    },
  ),

  scene("a reply that hands over or completes changes the conversation in the same commit", {}, async (s) => {
    const first = await s.turnFor("a human, please");
    await s.engine.turns.commit(
      first.lease,
      replied(first, allSent(draftFor(first)), { handOff: "asked for one" }),
    );
    const handed = await s.engine.conversations.get(first.conversation.id);
    assert.deepEqual(
      [handed?.handedOff, handed?.handOffReason, handed?.status],
      [true, "asked for one", "awaiting_agent"],
    );
    const open = await s.turnFor("one more thing");
    await s.engine.turns.commit(open.lease, silent(open, { complete: false }));
    assert.equal((await s.engine.conversations.get(open.conversation.id))?.taskComplete, false);
    const second = await s.turnFor("thanks");
    assert.equal(second.conversation.id, first.conversation.id);
    await s.engine.turns.commit(second.lease, silent(second, { complete: true }));
    const completed = await s.engine.conversations.get(second.conversation.id);
    // A turn without an answer does not change who is waited for.
    assert.deepEqual([completed?.taskComplete, completed?.status], [true, "awaiting_agent"]);
  }),

  scene("what was dropped or not sent is not in the history", {}, async (s) => {
    const taken = await s.turnFor("hi");
    const draft = draftFor(taken, ["said", "dropped", "pending"]);
    const chunks = allSent(draft).chunks.slice(0, 1);
    const rest = [{ ...draft.chunks[1]!, state: { kind: "dropped" } as const }, draft.chunks[2]!];
    await s.engine.turns.commit(taken.lease, replied(taken, { ...draft, chunks: [...chunks, ...rest] }));
    const history = await s.engine.conversations.history(taken.conversation.id, 10);
    assert.deepEqual(
      history.map(({ text }) => text),
      ["hi", "said"],
    );
  }),

  scene("attributes and other changes stay on the conversation through its turns", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    const attributes = { plan: "gold", visits: 3 };
    await s.engine.conversations.change(conversationId, { attributes });
    await s.windowPasses();
    const taken = await s.take();
    assert.deepEqual(taken.conversation.attributes, attributes);
    await s.reply(taken);
    assert.deepEqual((await s.engine.conversations.get(conversationId))?.attributes, attributes);
  }),

  scene(
    "one attribute is changed from what it was, and the others are left to who writes them",
    {},
    async (s) => {
      const { conversationId } = await s.receive("hi");
      const { conversations } = s.engine;
      const note = (was: unknown, to: unknown) =>
        conversations.changeAttribute(conversationId, { name: "note", was, to });
      const attributes = async () => (await conversations.get(conversationId))?.attributes;
      await conversations.change(conversationId, { attributes: { plan: "gold" } });
      assert.equal(await note(undefined, { count: 1, ids: ["a"] }), "changed");
      assert.deepEqual(await attributes(), { plan: "gold", note: { count: 1, ids: ["a"] } });
      assert.equal(await note(undefined, { count: 2 }), "stale");
      assert.equal(await note({ ids: ["a"], count: 1 }, { count: 2 }), "changed");
      assert.equal(await note({ ids: ["a"], count: 1 }, { count: 2 }), "changed");
      assert.equal(await note({ count: 2 }, undefined), "changed");
      assert.deepEqual(await attributes(), { plan: "gold" });
      const missing = { name: "note", was: undefined, to: 1 };
      assert.equal(await conversations.changeAttribute("c_none", missing), "not-found");
    },
  ),

  scene("of those who change one attribute at once, each writes or is told to look again", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    const others = [s.engine, await s.open("worker-2")];
    const add = async (each: number): Promise<void> => {
      const { conversations } = others[each % 2]!;
      const read = (await conversations.get(conversationId))?.attributes.seen;
      const was = Array.isArray(read) ? read : undefined;
      // It was written, its answer was lost, and another wrote behind it before it looked.
      if (was?.includes(each)) return;
      const change = { name: "seen", was, to: [...(was ?? []), each] };
      if ((await conversations.changeAttribute(conversationId, change)) === "stale") await add(each);
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(add));
    const seen = (await s.engine.conversations.get(conversationId))?.attributes.seen as number[];
    assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4, 5]);
  }),
];
