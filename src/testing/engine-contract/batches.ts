import assert from "node:assert/strict";
import { cutBatch } from "../../core/batch.ts";
import type { Taken } from "../../model/take.ts";
import type { CommitOutcome } from "../../ports/engine.ts";
import { as, silent, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { idOf, type Scene, scene } from "./scene.ts";

type Committed = Extract<CommitOutcome, { kind: "committed" }>;

/** All in one payload and one instant: only what is given tells them apart. */
async function receiveAll(
  s: Scene,
  given: readonly { text: string; sentAtMs?: number; position?: number }[],
) {
  await s.engine.receiving.stage(given.map((each) => ({ arrival: s.arrival(each) })));
}

async function orderOf(s: Scene): Promise<string> {
  await s.windowPasses();
  return textsOf(await s.take()).join("");
}

/** Every turn until nothing is left, one after the other. */
async function drain(s: Scene, each: (taken: Taken) => void): Promise<void> {
  for (let taken: Taken | undefined = await s.take(); taken; ) {
    each(taken);
    const next: Committed["next"] = (await s.reply(taken)).next;
    taken = next && as("turn", next).taken;
  }
}

/** Digits that look random, the same every time. */
function digits(): () => number {
  let state = 7;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state % 10;
  };
}

/** A pile of many batches is taken as if all of it had been read for every turn. */
function drainsInOrder(title: string, timeOf: (digit: number, nth: number) => number | undefined) {
  return scene(title, { batchMessagesMax: 3, batchBytesMax: 40 }, async (s) => {
    const digit = digits();
    const pile = Array.from({ length: 40 }, (_, nth) => {
      const sentAtMs = timeOf(digit(), nth);
      const message = s.arrival({
        text: "x".repeat(digit() * 3),
        position: digit(),
        arrivedAtMs: s.nowMs + digit(),
        ...(sentAtMs !== undefined && { sentAtMs }),
      });
      return { ...message, id: idOf(message), sequence: nth, bytes: message.text.length };
    });
    for (const { id: _id, sequence: _sequence, bytes: _bytes, ...each } of pile) await s.deliver(each);
    await s.windowPasses();
    await s.passes(10);
    let left: readonly (typeof pile)[number][] = pile;
    await drain(s, (taken) => {
      const { batch, cut } = cutBatch(left, s.settings);
      const ids = taken.messages.map(({ id }) => id);
      assert.deepEqual(
        ids,
        batch.map(({ id }) => id),
      );
      assert.equal(taken.cut, cut);
      left = left.filter(({ id }) => !ids.includes(id));
    });
    assert.equal(left.length, 0);
    await s.atRest();
  });
}

/** What one turn takes, and in which order. */
export const batches: readonly EngineCase[] = [
  scene("a batch is ordered by the provider's time where every message has one", {}, async (s) => {
    await receiveAll(s, [
      { text: "c", sentAtMs: 3_000 },
      { text: "a", sentAtMs: 1_000 },
      { text: "b", sentAtMs: 2_000 },
    ]);
    assert.equal(await orderOf(s), "abc");
  }),

  scene("where one message has no provider time, all go by arrival", {}, async (s) => {
    await s.receive({ text: "a", sentAtMs: 9_000 });
    await s.passes(1);
    await s.receive({ text: "b" });
    await s.passes(1);
    await s.receive({ text: "c", sentAtMs: 1_000 });
    assert.equal(await orderOf(s), "abc");
  }),

  scene("messages of the same second keep their order by arrival in milliseconds", {}, async (s) => {
    const second = s.nowMs;
    await s.passes(10);
    // The ids would shuffle them, and so would the order in which they reach the store.
    for (const text of "cafbed") {
      const arrivedAtMs = second + "abcdef".indexOf(text);
      await s.receive({
        text,
        sentAtMs: second,
        arrivedAtMs,
        providerId: `id-${"fbdaec"["abcdef".indexOf(text)]}`,
      });
    }
    assert.equal(await orderOf(s), "abcdef");
  }),

  scene("messages of the same millisecond keep their place in the payload", {}, async (s) => {
    await receiveAll(s, [
      { text: "c", position: 2 },
      { text: "a", position: 0 },
      { text: "b", position: 1 },
    ]);
    assert.equal(await orderOf(s), "abc");
  }),

  scene("messages that nothing else tells apart keep the order in which they were staged", {}, async (s) => {
    for (const text of "abcdef")
      await s.receive({ text, providerId: `id-${"fbdaec"["abcdef".indexOf(text)]}` });
    assert.equal(await orderOf(s), "abcdef");
  }),

  scene(
    "what the limit on messages leaves behind is due at once, and no other turn gets in between",
    { batchMessagesMax: 2 },
    async (s) => {
      for (const text of "abcde") {
        await s.receive(text);
        await s.passes(1_000);
      }
      await s.passes(5_000);
      const first = await s.take();
      assert.equal(textsOf(first).join(""), "ab");
      assert.equal(first.cut, true);
      const second = as("turn", (await s.reply(first)).next!).taken;
      assert.equal(textsOf(second).join(""), "cd");
      assert.equal(
        as("busy", await s.engine.turns.take(first.lease.conversationId)).untilAtMs,
        second.lease.untilAtMs,
      );
      assert.notEqual(second.turnId, first.turnId);
      const third = as("turn", (await s.reply(second)).next!).taken;
      assert.equal(textsOf(third).join(""), "e");
      assert.equal(third.cut, false);
      assert.equal((await s.reply(third)).next, undefined);
      await s.atRest();
    },
  ),

  scene(
    "a commit tried again because its answer got lost does not commit the turn behind it",
    { batchMessagesMax: 1 },
    async (s) => {
      const first = await s.turnFor("a", "b");
      const commit = silent(first);
      const second = as(
        "turn",
        as("committed", await s.engine.turns.commit(first.lease, commit)).next!,
      ).taken;
      as("lost", await s.engine.turns.commit(first.lease, commit));
      assert.equal((await s.detail(first.conversation.id)).turns.length, 1);
      await s.reply(second);
      await s.atRest();
    },
  ),

  scene(
    "a turn that a commit went on to may be put back unbegun: it is due at once, and was no attempt",
    { batchMessagesMax: 1 },
    async (s) => {
      const other = await s.open("worker-2");
      const first = await s.turnFor("a", "b", "c");
      const second = as("turn", (await s.reply(first)).next!).taken;
      as("released", await s.engine.turns.release(second.lease, { kind: "put-back" }));
      as("lost", await s.engine.turns.renew(second.lease));
      const { windows, leases, staged } = await s.engine.inspector.counts();
      assert.deepEqual({ windows, leases, staged }, { windows: 1, leases: 0, staged: 2 });
      const again = await s.take(other);
      assert.deepEqual([again.turnId, again.attempt, textsOf(again)], [second.turnId, 1, ["b"]]);
      const third = as("turn", (await s.reply(again, "ok", other)).next!).taken;
      assert.deepEqual([third.attempt, textsOf(third)], [1, ["c"]]);
      await s.reply(third, "ok", other);
      await s.atRest();
    },
  ),

  scene("the limit on bytes cuts a batch too", { batchBytesMax: 100 }, async (s) => {
    for (const letter of "abc") await s.receive(letter.repeat(50));
    await s.windowPasses();
    const first = await s.take();
    assert.deepEqual(
      textsOf(first).map((text) => text[0]),
      ["a", "b"],
    );
    const second = as("turn", (await s.reply(first)).next!).taken;
    assert.deepEqual(
      textsOf(second).map((text) => text[0]),
      ["c"],
    );
  }),

  drainsInOrder("a pile of many batches is taken by arrival where no provider gives a time", () => undefined),
  drainsInOrder(
    "a pile of many batches is taken by the provider's time where all have one",
    (n) => n * 1_000,
  ),
  drainsInOrder(
    "a pile of many batches is taken by arrival for as long as one without a time waits",
    (n, nth) => (nth === 17 ? undefined : n * 1_000),
  ),

  scene(
    "behind a pile of many batches what a human says goes first, and a batch that failed stays together",
    { batchMessagesMax: 2 },
    async (s) => {
      for (const text of "abcdefgh") await s.receive({ text, sentAtMs: 5_000 });
      await s.windowPasses();
      const first = await s.take();
      const { id: conversationId, channelType: channel } = first.conversation;
      await s.receive({ text: "0", sentAtMs: 1_000 });
      const said = { id: "h1", conversationId, channel, to: "ana", texts: ["one moment"], author: "human" };
      assert.equal(await s.engine.conversations.say(said), "staged");
      as("released", await s.engine.turns.release(first.lease, { kind: "retry", afterMs: 0, reason: "x" }));
      const human = await s.take();
      assert.deepEqual(human.outbound?.texts, ["one moment"]);
      // A limit cut the turn beside it, so its holder continues at once.
      const again = as("turn", (await s.reply(human)).next!).taken;
      assert.deepEqual([again.turnId, textsOf(again)], [first.turnId, ["a", "b"]]);
      const next = as("turn", (await s.reply(again)).next!).taken;
      assert.deepEqual(textsOf(next), ["0", "c"]);
    },
  ),

  scene(
    "a human's words go before the rest of a pile, and later messages are answered behind it",
    { batchMessagesMax: 2 },
    async (s) => {
      const first = await s.turnFor(..."abcdef");
      const { id: conversationId, channelType: channel } = first.conversation;
      await s.passes(1);
      await s.receive("g");
      const second = as("turn", (await s.reply(first)).next!).taken;
      const said = { id: "h1", conversationId, channel, to: "ana", texts: ["one moment"], author: "human" };
      assert.equal(await s.engine.conversations.say(said), "staged");
      const human = as("turn", (await s.reply(second)).next!).taken;
      assert.deepEqual(human.outbound?.texts, ["one moment"]);
      await s.receive("h");
      const heard = [...textsOf(first), ...textsOf(second)];
      const goOn = async ({ next }: Committed) => {
        if (next?.kind !== "turn") return;
        heard.push(...textsOf(next.taken));
        await goOn(await s.reply(next.taken));
      };
      await goOn(await s.reply(human));
      await s.windowPasses();
      for (const taken of await s.turns()) {
        heard.push(...textsOf(taken));
        await goOn(await s.reply(taken));
      }
      assert.equal(heard.join(""), "abcdefgh");
      await s.atRest();
    },
  ),

  scene("a message larger than the limit still gets its turn, alone", { batchBytesMax: 100 }, async (s) => {
    await s.receive("é".repeat(51));
    await s.receive("b");
    await s.windowPasses();
    const first = await s.take();
    assert.deepEqual(
      textsOf(first).map((text) => text[0]),
      ["é"],
    );
    assert.equal(first.cut, true);
  }),

  scene(
    "a batch that was cut and failed comes back as the same batch",
    { batchMessagesMax: 2 },
    async (s) => {
      await s.receive({ text: "b", sentAtMs: 2_000 });
      await s.receive({ text: "c", sentAtMs: 3_000 });
      await s.receive({ text: "d", sentAtMs: 4_000 });
      await s.windowPasses();
      const first = await s.take();
      // Older by the provider's clock: it must not push out a message that was tried already.
      await s.receive({ text: "a", sentAtMs: 1_000 });
      await s.engine.turns.release(first.lease, {
        kind: "retry",
        afterMs: 0,
        reason: "overloaded",
      });
      const second = await s.take();
      assert.equal(textsOf(second).join(""), "bc");
      const third = as("turn", (await s.reply(second)).next!).taken;
      assert.equal(textsOf(third).join(""), "ad");
    },
  ),

  scene(
    "what a dead-lettered batch left behind is due at once as well",
    { batchMessagesMax: 1 },
    async (s) => {
      await s.receive("a");
      await s.passes(9_000);
      await s.receive("b");
      await s.passes(1_000);
      const first = await s.take();
      await s.engine.turns.release(first.lease, { kind: "dead-letter", reason: "broken" });
      assert.deepEqual(textsOf(await s.take()), ["b"]);
    },
  ),

  scene("a burst of 500 messages is one turn, in order, with every kind of text and media", {}, async (s) => {
    const texts = Array.from({ length: 500 }, (_, at) => `${at} 👩‍👩‍👧 שלום e\u0301`);
    const media = [{ url: "https://example.test/1.jpg", contentType: "image/jpeg" }];
    const arrivals = texts.map((text, position) =>
      s.arrival({ text: position === 7 ? "" : text, position, media: position === 7 ? media : [] }),
    );
    for (let from = 0; from < 500; from += 50) {
      await s.engine.receiving.stage(arrivals.slice(from, from + 50).map((arrival) => ({ arrival })));
    }
    await s.windowPasses();
    const taken = await s.take();
    assert.deepEqual(textsOf(taken), texts.with(7, ""));
    assert.deepEqual(taken.messages[7]?.media, media);
    assert.equal(taken.cut, false);
    await s.reply(taken);
    await s.atRest();
  }),

  scene("one message more than the limit of 500 is left behind and due at once", {}, async (s) => {
    const arrivals = Array.from({ length: 501 }, (_, position) =>
      s.arrival({ text: `${position}`, position }),
    );
    await s.engine.receiving.stage(arrivals.map((arrival) => ({ arrival })));
    await s.windowPasses();
    const first = await s.take();
    assert.equal(first.messages.length, 500);
    const second = as("turn", (await s.reply(first)).next!).taken;
    assert.deepEqual(textsOf(second), ["500"]);
  }),

  scene("everything a message carried is in its turn", {}, async (s) => {
    const { message, id } = await s.receive({
      text: "x".repeat(65_536),
      media: [{ url: "https://example.test/a.pdf", contentType: "application/pdf", name: "a.pdf" }],
      sentAtMs: 1_700_000_000_000,
      senderAlias: "+4912",
      replyTo: "whatsapp:+4912",
      fields: { ProfileName: "Ana 🌷", ButtonPayload: "yes" },
    });
    await s.windowPasses();
    const { sequence, ...rest } = (await s.take()).messages[0]!;
    assert.equal(typeof sequence, "number");
    assert.deepEqual(rest, { ...message, id });
  }),
];
