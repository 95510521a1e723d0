import assert from "node:assert/strict";
import type { Draft } from "../../model/draft.ts";
import type { Listing, Page } from "../../ports/inspector.ts";
import { allSent, draftFor, replied, sent, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

/** Every page, two at a time. */
async function walk<T>(list: (page: Page) => Promise<Listing<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await list({ limit: 2, ...(cursor !== undefined && { cursor }) });
    assert.ok(items.length <= 2);
    all.push(...items);
    cursor = next;
  } while (cursor !== undefined);
  return all;
}

/** Reading for people and dashboards. */
export const inspecting: readonly EngineCase[] = [
  scene("the counts tell what stands where", {}, async (s) => {
    const held = await s.turnFor("held");
    await s.receive("next window of the same");
    await s.receive({ sender: "gathering" });
    const { quarantined = 0, ...counts } = await s.engine.inspector.counts();
    assert.equal(quarantined, 0);
    assert.deepEqual(counts, {
      conversations: 2,
      staged: 3,
      windows: 2,
      leases: 1,
      turns: 0,
      dead: 0,
      unknown: 0,
      refusals: 0,
      paused: false,
    });
    await s.reply(held);
    const { turns, leases, staged } = await s.engine.inspector.counts();
    assert.deepEqual({ turns, leases, staged }, { turns: 1, leases: 0, staged: 2 });
  }),

  scene("the locks show windows and leases as they stand", {}, async (s) => {
    const { conversationId, dueAtMs } = await s.receive("hi");
    const [gathering] = await s.locks();
    assert.equal(gathering?.window?.dueAtMs, dueAtMs);
    assert.deepEqual(
      [gathering?.lease, gathering?.staged, gathering?.attempts, gathering?.draft],
      [undefined, 1, 0, false],
    );
    await s.windowPasses();
    const taken = await s.take();
    await s.engine.turns.draft(taken.lease, draftFor(taken));
    const [held] = await s.locks();
    const { untilAtMs } = taken.lease;
    assert.deepEqual(held, {
      conversationId,
      lease: { holder: "worker-1", untilAtMs, takenAtMs: s.nowMs, turnId: taken.turnId },
      staged: 1,
      attempts: 1,
      draft: true,
    });
    assert.deepEqual((await s.detail(conversationId)).lock, held);
  }),

  scene("a turn that failed says why, since when and when it is tried again", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    await s.windowPasses();
    const failing = async () => (await s.detail(conversationId)).lock?.failing;
    assert.equal(await failing(), undefined);
    const first = await s.take();
    const refused = { kind: "retry", afterMs: 2_000, reason: "OPENAI_UNAVAILABLE: 500" } as const;
    const sinceAtMs = s.nowMs;
    await s.engine.turns.release(first.lease, { ...refused, outageSinceAtMs: sinceAtMs });
    const told = { reason: refused.reason, tries: 1, sinceAtMs };
    assert.deepEqual(await failing(), { ...told, againAtMs: s.nowMs + 2_000 });
    assert.deepEqual((await s.locks())[0]?.failing, await failing());
    await s.passes(2_000);
    const second = await s.take();
    assert.deepEqual(await failing(), told);
    await s.engine.turns.release(second.lease, { kind: "retry", afterMs: 0, reason: "odd" });
    assert.deepEqual(await failing(), { ...told, reason: "odd", tries: 2, againAtMs: s.nowMs });
    await s.reply(await s.take());
    assert.equal(await failing(), undefined);
  }),

  scene("a conversation shows what of it got no answer, and no other's", {}, async (s) => {
    const { conversationId } = await s.receive("first");
    await s.windowPasses();
    await s.engine.turns.release((await s.take()).lease, { kind: "dead-letter", reason: "wrong key" });
    const lost = await s.turnFor("second");
    const draft = unknown(draftFor(lost, ["perhaps"]), 0);
    await s.engine.turns.commit(lost.lease, replied(lost, draft, { outcome: "unknown" }));
    const other = await s.receive({ sender: "ben" });
    await s.windowPasses();
    await s.engine.turns.release((await s.take()).lease, { kind: "dead-letter", reason: "another" });

    const { dead, unknown: unsure } = await s.detail(conversationId);
    assert.deepEqual(
      dead.map(({ reason, messages }) => [reason, messages.map(({ text }) => text)]),
      [["wrong key", ["first"]]],
    );
    assert.deepEqual(
      unsure.map(({ text }) => text),
      ["perhaps"],
    );
    const theirs = await s.detail(other.conversationId);
    assert.deepEqual([theirs.dead.map(({ reason }) => reason), theirs.unknown], [["another"], []]);
    assert.deepEqual(await s.dead(), [...theirs.dead, ...dead]);
  }),

  scene(
    "no more of what got no answer is shown than was asked for, and that is the latest",
    {},
    async (s) => {
      const { conversationId } = await s.receive("0");
      for (const text of ["1", "2", "3"]) {
        await s.windowPasses();
        await s.engine.turns.release((await s.take()).lease, { kind: "dead-letter", reason: "wrong key" });
        await s.receive(text);
      }
      const limits = { rowsMax: 10, bytesMax: 100_000, unansweredMax: 2 };
      const { dead = [] } = (await s.engine.inspector.conversation(conversationId, limits)) ?? {};
      assert.deepEqual(
        dead.map(({ messages }) => messages.map(({ text }) => text)),
        [["1"], ["2"]],
      );
    },
  ),

  scene(
    "conversations are listed newest first, found by person, id and state, a page at a time",
    {},
    async (s) => {
      const senders = ["ana", "ben", "anabel", "cyd", "dan"];
      for (const sender of senders) {
        await s.receive({ sender });
        await s.passes(1);
      }
      const { inspector, conversations } = s.engine;
      const all = await walk((page) => inspector.conversations(page));
      assert.deepEqual(
        all.map(({ sender }) => sender),
        [...senders].reverse(),
      );
      const found = await walk((page) => inspector.conversations({ ...page, search: "ana" }));
      assert.deepEqual(
        found.map(({ sender }) => sender),
        ["anabel", "ana"],
      );
      const byId = await inspector.conversations({ limit: 5, search: all[0]!.id });
      assert.deepEqual(
        byId.items.map(({ sender }) => sender),
        ["dan"],
      );
      const byBeginning = await walk((page) =>
        inspector.conversations({ ...page, search: all[0]!.id.slice(0, -1) }),
      );
      assert.ok(byBeginning.some(({ id }) => id === all[0]!.id));
      await conversations.change(all[0]!.id, { taskComplete: true });
      const active = await walk((page) => inspector.conversations({ ...page, active: true }));
      assert.deepEqual(
        active.map(({ sender }) => sender),
        ["cyd", "anabel", "ben", "ana"],
      );
      const closed = await walk((page) => inspector.conversations({ ...page, active: false }));
      assert.deepEqual(
        closed.map(({ sender }) => sender),
        ["dan"],
      );
    },
  ),

  scene("conversations are found by either name of their person, also by a part of it", {}, async (s) => {
    await s.receive({ sender: "SV.aaaaaaaa", senderAlias: "+15550101" });
    await s.receive({ sender: "+15550202", senderAlias: "SV.bbbbbbbb" });
    await s.receive({ sender: "cyd" });
    const { inspector } = s.engine;
    const found = async (search: string) =>
      (await walk((page) => inspector.conversations({ ...page, search }))).map(({ sender }) => sender);
    assert.deepEqual(await found("+15550101"), ["SV.aaaaaaaa"]);
    assert.deepEqual(await found("0101"), ["SV.aaaaaaaa"]);
    assert.deepEqual(await found("SV.bbbb"), ["SV.bbbbbbbb"]);
    assert.deepEqual(await found("0202"), ["SV.bbbbbbbb"]);
    assert.deepEqual((await found("SV.")).length, 2);
    assert.deepEqual(await found("nobody"), []);
  }),

  scene(
    "locks, dead letters, unknown sends and refusals are listed a page at a time, each once",
    {},
    async (s) => {
      const people = ["a", "b", "c", "d", "e"];
      const { inspector, turns } = s.engine;
      for (const sender of people) await s.receive({ sender });
      assert.equal(
        new Set((await walk((page) => inspector.locks(page))).map((each) => each.conversationId)).size,
        5,
      );
      await s.windowPasses();
      for (const taken of await s.turns())
        await turns.release(taken.lease, { kind: "dead-letter", reason: "broken" });
      assert.equal(new Set((await walk((page) => inspector.dead(page))).map(({ id }) => id)).size, 5);

      for (const sender of people) await s.receive({ sender });
      await s.windowPasses();
      for (const taken of await s.turns()) {
        await turns.commit(taken.lease, replied(taken, unknown(draftFor(taken), 0), { outcome: "unknown" }));
      }
      assert.equal(new Set((await walk((page) => inspector.unknown(page))).map(({ id }) => id)).size, 5);

      const refused = people.map((sender) => ({
        arrival: s.arrival({ sender }),
        refusal: "ROUTE_NOT_FOUND" as const,
      }));
      await s.engine.receiving.stage(refused);
      const refusals = await walk((page) => inspector.refusals(page));
      assert.deepEqual(
        refusals.map(({ sender }) => sender),
        [...people].reverse(),
      );
      const { dead, unknown: unsure, refusals: counted } = await inspector.counts();
      assert.deepEqual([dead, unsure, counted], [5, 5, 5]);
    },
  ),

  scene("a conversation shows what is staged, said, refused and done in it", {}, async (s) => {
    const { id } = (await s.talk("one")).conversation;
    await s.receive("two");
    const { conversation, staged, messages, turns, refusals, lock } = await s.detail(id);
    assert.equal(conversation.id, id);
    assert.deepEqual(
      staged.map(({ text }) => text),
      ["two"],
    );
    assert.deepEqual(
      messages.map(({ text }) => text),
      ["one", "ok"],
    );
    assert.equal(turns.length, 1);
    assert.deepEqual(refusals, []);
    assert.equal(lock?.staged, 1);
    assert.equal(await s.engine.inspector.conversation("no-such-id"), undefined);
  }),

  scene("of a long conversation the latest that fit are shown, and how much waits in all", {}, async (s) => {
    const { id } = (await s.talk("one")).conversation;
    for (const text of ["two", "three"]) await s.talk(text);
    for (const text of ["four", "five", "six"]) await s.receive(text);
    const shown = async (rowsMax: number, bytesMax: number) => {
      const detail = await s.engine.inspector.conversation(id, { rowsMax, bytesMax });
      const { staged, messages, turns, lock } = detail!;
      const texts = [...messages, ...staged].map(({ text }) => text);
      return { texts, turns: turns.length, waiting: lock?.staged };
    };
    assert.deepEqual(await shown(2, 1_000_000), {
      texts: ["three", "ok", "five", "six"],
      turns: 2,
      waiting: 3,
    });
    assert.deepEqual(await shown(100, 10), { texts: ["ok", "six"], turns: 1, waiting: 3 });
  }),

  scene("the latest conversation of a key is found, complete or not, and no other's", {}, async (s) => {
    const { latestId } = s.engine.inspector;
    const { conversation: first } = await s.turnFor("one");
    const { channelType, address, sender } = first;
    const key = { channelType, address, sender };
    await s.receive({ sender: "anabel" });
    assert.equal(await latestId(key), first.id);
    await s.engine.conversations.change(first.id, { taskComplete: true });
    assert.equal(await latestId(key), first.id);
    await s.passes(1_000);
    const { conversationId } = await s.receive("again");
    assert.notEqual(conversationId, first.id);
    assert.equal(await latestId(key), conversationId);
    for (const other of [{ channelType: "fax" }, { address: "another" }, { sender: "an" }])
      assert.equal(await latestId({ ...key, ...other }), undefined);
  }),

  scene("gauges tell what alarms are about", {}, async (s) => {
    const { inspector, turns } = s.engine;
    const gauges = async () => {
      const { quarantined = 0, staged, paused, ...told } = await inspector.gauges();
      assert.equal(quarantined, 0);
      if (staged !== undefined) assert.equal(staged, (await inspector.counts()).staged);
      assert.equal(paused, (await inspector.counts()).paused);
      return told;
    };
    await s.engine.conversations.pauseAll(true);
    await gauges();
    await s.engine.conversations.pauseAll(false);
    assert.deepEqual(await gauges(), { dead: 0, unknown: 0, staleLeases: 0 });
    for (const sender of ["ana", "ben", "cyd"]) await s.receive({ sender });
    await s.windowPasses();
    const [first, second] = await s.turns();
    const takenAtMs = s.nowMs;
    assert.deepEqual(await gauges(), {
      dead: 0,
      unknown: 0,
      staleLeases: 0,
      oldestLeaseAtMs: takenAtMs,
    });
    await turns.release(first!.lease, { kind: "dead-letter", reason: "broken" });
    const unsure = unknown(draftFor(second!), 0);
    await turns.commit(second!.lease, replied(second!, unsure, { outcome: "unknown" }));
    await s.passes(s.fixture.settings.leaseMs + s.fixture.settings.clockSkewMs);
    assert.deepEqual(await gauges(), {
      dead: 1,
      unknown: 1,
      staleLeases: 1,
      oldestLeaseAtMs: takenAtMs,
    });
  }),

  scene("a dead letter says how much of its reply went out", {}, async (s) => {
    const drafts: Record<string, (draft: Draft) => Draft | undefined> = {
      none: () => undefined,
      part: (draft) => sent(draft, 0),
      whole: allSent,
      unknown: (draft) => unknown(sent(draft, 0), 1),
    };
    for (const [sender, made] of Object.entries(drafts)) {
      await s.receive({ sender });
      await s.windowPasses();
      const taken = await s.take();
      const draft = made(draftFor(taken, ["one", "two"]));
      if (draft) await s.engine.turns.draft(taken.lease, draft);
      await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "broken" });
    }
    const told = (await s.dead()).map(({ messages, replySent }) => [messages[0]?.sender, replySent]);
    assert.deepEqual(Object.fromEntries(told), {
      none: "none",
      part: "part",
      whole: "whole",
      unknown: "unknown",
    });
  }),

  scene("a dead letter is found by its id, whole, until it is dealt with", {}, async (s) => {
    for (const sender of ["ana", "ben"]) {
      await s.receive({ sender });
      await s.windowPasses();
      const { lease } = await s.take();
      await s.engine.turns.release(lease, { kind: "dead-letter", reason: `of ${sender}` });
    }
    const { deadLetter } = s.engine.repairs;
    const letters = await s.dead();
    assert.deepEqual(letters.map(({ reason }) => reason).sort(), ["of ana", "of ben"]);
    for (const letter of letters) assert.deepEqual(await deadLetter(letter.id), letter);
    for (const id of ["no-such-id", `no-such-id.${letters[0]!.conversationId}`])
      assert.equal(await deadLetter(id), undefined);
    await s.engine.repairs.discardDead(letters[0]!.id);
    assert.equal(await deadLetter(letters[0]!.id), undefined);
  }),

  scene("the store says that it can be written", {}, async (s) => {
    await s.engine.ping();
    await s.atRest();
  }),
];
