import assert from "node:assert/strict";
import { canonicalAddress } from "../../core/own-addresses.ts";
import type { Arrival } from "../../model/message.ts";
import type { GivenSettings } from "../../model/settings.ts";
import type { Taken } from "../../model/take.ts";
import type { Engine, OperatedEngine } from "../../ports/engine.ts";
import { type KeptItem, type PeoplesRights, peoplesRights } from "../../runtime/people.ts";
import { viewOf } from "../../runtime/project-view.ts";
import { testChannel } from "../test-channel.ts";
import { allSent, as, draftFor, replied, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const NUMBER = "+15550101";
const USER = "SV.ana-0001";
const ANA: Partial<Arrival> = { sender: USER, senderAlias: NUMBER, replyTo: `test:${NUMBER}` };
const OURS = ["+15550200", "+15550201"] as const;

const WINDOW = { kind: "fixed", lengthMs: 10_000 } as const;
const TENANTS: Partial<GivenSettings> = {
  channels: {
    test: { type: "test", window: WINDOW, addresses: [OURS[0]], project: "bakery" },
    other: { type: "other", window: WINDOW, addresses: [OURS[1]], project: "garage" },
  },
  projects: { bakery: { status: "active" }, garage: { status: "active" } },
};

const STRANGER: Partial<GivenSettings> = {
  channels: {
    test: { type: "test", window: WINDOW, addresses: [OURS[0]] },
    web: { type: "web", window: WINDOW, addresses: ["page"] },
  },
};

/** Of telephones: such channels know how their customers' numbers may be written. */
const CHANNELS = {
  test: { ...testChannel(), canonical: canonicalAddress },
  other: { ...testChannel(), type: "other", canonical: canonicalAddress },
  web: { ...testChannel(), type: "web", hasVisitors: true },
};

/** What an operator's command, the API and a program call. */
function rightsOn({ settings }: Scene, engine: OperatedEngine): PeoplesRights {
  return peoplesRights({ engine: async () => engine, channels: CHANNELS, settings, log: () => {} });
}

async function exported(s: Scene, customer: string, engine: OperatedEngine = s.engine): Promise<KeptItem[]> {
  const items: KeptItem[] = [];
  for await (const item of rightsOn(s, engine).exportPerson({ customer })) items.push(item);
  return items;
}

async function erased(s: Scene, customer: string, engine: OperatedEngine = s.engine) {
  return rightsOn(s, engine).erasePerson({ customer });
}

async function idsIn(s: Scene): Promise<string[]> {
  return (await s.conversations()).map(({ id }) => id).sort();
}

async function turnOf(s: Scene, given: Partial<Arrival>): Promise<Taken> {
  await s.receive(given);
  await s.windowPasses();
  const turns = await s.turns();
  const found = turns.find(({ messages }) => messages.some(({ text }) => text === given.text));
  for (const other of turns) if (other !== found) await s.reply(other);
  assert.ok(found, `no turn of ${given.text} is due`);
  return found;
}

async function completed(s: Scene, given: Partial<Arrival>): Promise<string> {
  const taken = await turnOf(s, given);
  as(
    "committed",
    await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)), { complete: true })),
  );
  return taken.conversation.id;
}

/** Something of every kind that an engine keeps, each with a word of its own. Returns these words. */
async function wholeLife(s: Scene): Promise<string[]> {
  const { engine } = s;
  await completed(s, { ...ANA, text: "SECRET-first" });
  const lost = await turnOf(s, { ...ANA, text: "SECRET-lost" });
  const { id } = lost.conversation;
  const unsure = unknown(draftFor(lost, "SECRET-unsure"), 0);
  await engine.turns.commit(lost.lease, replied(lost, unsure, { outcome: "unknown" }));
  const failed = await turnOf(s, { ...ANA, text: "SECRET-dead" });
  await engine.turns.release(failed.lease, {
    kind: "dead-letter",
    reason: "SECRET-reason",
    draft: allSent(draftFor(failed, "SECRET-dropped")),
  });
  await engine.receiving.stage([{ arrival: s.arrival(ANA), refusal: "ROUTE_NOT_FOUND" }]);
  await engine.conversations.change(id, { projectStatus: "archived" });
  await s.deliver(s.arrival({ ...ANA, text: "refused" }));
  await engine.conversations.change(id, {
    projectStatus: "active",
    attributes: { name: "SECRET-attribute" },
  });
  await s.reply(await turnOf(s, { ...ANA, text: "SECRET-asked" }), "SECRET-answered");
  const running = await turnOf(s, { ...ANA, text: "SECRET-running" });
  await engine.turns.draft(running.lease, draftFor(running, "SECRET-draft"));
  const said = { id: "o1", conversationId: id, channel: "test", to: NUMBER, author: "eva" };
  await engine.conversations.say({ ...said, texts: ["SECRET-said"] });
  await s.receive({ ...ANA, text: "SECRET-waits" });
  const words = ["first", "lost", "unsure", "dead", "reason", "dropped", "attribute", "asked", "answered"];
  return [...words, "running", "draft", "said", "waits"].map((word) => `SECRET-${word}`);
}

/** What people have a right to, by their own address alone. */
export const rights: readonly EngineCase[] = [
  scene("an export shows all that an erasure removes, and after it neither finds anything", {}, async (s) => {
    await s.receive({ sender: "+15550102", text: "neighbour" });
    const words = await wholeLife(s);
    const items = await exported(s, NUMBER);
    const shown = JSON.stringify(items);
    assert.deepEqual(
      words.filter((word) => !shown.includes(word)),
      [],
    );
    assert.ok(!shown.includes("neighbour"));
    const kinds = new Set(items.map(({ kind }) => kind));
    for (const kind of ["conversation", "name", "state", "staged", "message", "turn", "deadLetter"] as const)
      assert.ok(kinds.has(kind), `there is no ${kind}`);
    for (const kind of ["unknownSend", "refusal", "sent"] as const)
      assert.ok(kinds.has(kind), `there is no ${kind}`);
    const { result, removed, left } = await erased(s, NUMBER);
    assert.deepEqual([result, left], ["erased", {}]);
    assert.equal(
      Object.values(removed).reduce((sum, count) => sum + count, 0),
      items.length,
    );
    assert.deepEqual(await exported(s, NUMBER), []);
    assert.deepEqual(await exported(s, USER), []);
    assert.equal((await erased(s, NUMBER)).result, "not-found");
    const bytes = (await s.fixture.keeps?.()) ?? "";
    assert.deepEqual(
      [...words, NUMBER, USER].filter((word) => bytes.includes(word)),
      [],
    );
    assert.equal((await s.conversations()).length, 1);
  }),

  scene("a page at a time, the same is exported", {}, async (s) => {
    await wholeLife(s);
    const whole = await exported(s, NUMBER);
    const paged: KeptItem[] = [];
    let cursor: string | undefined;
    do {
      const page = { limit: 2, ...(cursor !== undefined && { cursor }) };
      const { items, next } = await rightsOn(s, s.engine).personPage({ customer: NUMBER }, page);
      assert.ok(items.length <= 4);
      paged.push(...items);
      cursor = next;
    } while (cursor !== undefined);
    // Of whatever order a store gives the fields.
    const sorted = (items: readonly KeptItem[]) =>
      items.map((item) => [...JSON.stringify(item)].sort().join("")).sort();
    assert.deepEqual(sorted(paged), sorted(whole));
  }),

  scene(
    "a person is erased at every address of ours and under each of their names, and nobody like them is",
    {},
    async (s) => {
      const first = await completed(s, { ...ANA, address: OURS[0], text: "at one" });
      const second = await completed(s, { sender: USER, address: OURS[1], text: "at the other" });
      const third = await completed(s, { sender: NUMBER, address: "+15550202", text: "by number" });
      const others = ["+155501011", "+1555010", "15550101x", "ana", `x${NUMBER}`];
      for (const sender of others) await s.receive({ sender, text: "somebody else" });
      assert.equal((await s.conversations()).length, 3 + others.length);
      const found = await rightsOn(s, s.engine).findPerson({ customer: "whatsapp:+15550101" });
      assert.deepEqual(
        found.places.flatMap(({ conversationIds }) => conversationIds).sort(),
        [first, second, third].sort(),
      );
      assert.equal((await erased(s, "15550101")).result, "erased");
      const left = await s.conversations();
      assert.deepEqual(left.map(({ sender }) => sender).sort(), others.sort());
    },
  ),

  scene("a turn that was running cannot write a person back who is erased by address", {}, async (s) => {
    const taken = await turnOf(s, { ...ANA, text: "hi" });
    await s.engine.turns.draft(taken.lease, draftFor(taken));
    assert.equal((await erased(s, NUMBER)).result, "erased");
    as("lost", await s.engine.turns.renew(taken.lease));
    as("lost", await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)))));
    as("lost", await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "x" }));
    assert.deepEqual(await exported(s, NUMBER), []);
    await s.leaseLapses();
    await s.nothingDue();
  }),

  scene("what came again of an erased person's messages is a duplicate", {}, async (s) => {
    const { message } = await s.receive({ ...ANA, text: "waits" });
    await erased(s, NUMBER);
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
    await s.atRest();
  }),

  scene(
    "a number's present owner goes, with what is ownerless; who had it before stays, and is told of",
    {},
    async (s) => {
      const bare = await completed(s, { sender: NUMBER, text: "before anybody is known" });
      const former = await completed(s, { sender: "SV.former", senderAlias: NUMBER, text: "mine" });
      const now = await completed(s, { sender: "SV.now", senderAlias: NUMBER, text: "now mine" });
      const { result, others } = await erased(s, NUMBER);
      assert.deepEqual([result, others], ["erased", ["SV.former"]]);
      const left = await idsIn(s);
      assert.ok(!left.includes(now));
      assert.ok(left.includes(former));
      assert.ok(bare === former || !left.includes(bare));
      assert.equal((await erased(s, "SV.former")).result, "erased");
      assert.deepEqual(await idsIn(s), []);
    },
  ),

  scene("who has nothing but refusals is found, and erased", { admission: "known" }, async (s) => {
    await s.deliver(s.arrival({ sender: NUMBER, text: "let me in" }));
    await s.deliver(s.arrival({ sender: "+15550102", text: "me too" }));
    const items = await exported(s, NUMBER);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ["refusal"],
    );
    assert.equal((await erased(s, NUMBER)).result, "erased");
    const { items: left } = await s.engine.inspector.refusals({ limit: 10 });
    assert.deepEqual(
      left.map(({ sender }) => sender),
      ["+15550102"],
    );
  }),

  scene(
    "messages that never had a conversation are found where they wait, and where they are dead",
    { validation: "on-turn", admission: "known" },
    async (s) => {
      await s.receive({ sender: NUMBER, text: "first" });
      await s.windowPasses();
      await s.nothingDue();
      assert.equal((await s.dead()).length, 1);
      await s.receive({ sender: NUMBER, text: "second" });
      await s.receive({ sender: "+15550102", text: "neighbour" });
      const shown = JSON.stringify(await exported(s, NUMBER));
      for (const text of ["first", "second"]) assert.ok(shown.includes(text), `${text} is not shown`);
      assert.ok(!shown.includes("neighbour"));
      const { result, left } = await erased(s, NUMBER);
      assert.deepEqual([result, left], ["erased", {}]);
      assert.deepEqual(await s.dead(), []);
      const { staged } = await s.engine.inspector.counts();
      assert.equal(staged, 1);
    },
  ),

  scene(
    "for one project, another tenant's customer with the same number is not there",
    TENANTS,
    async (s) => {
      const here = await s.receive({ sender: NUMBER, address: OURS[0], text: "bread" });
      const there = await s.receive({ sender: NUMBER, address: OURS[1], channel: "other", text: "brakes" });
      for (const channel of ["test", "other"])
        await s.engine.receiving.stage([
          { arrival: s.arrival({ sender: NUMBER, channel }), refusal: "ROUTE_NOT_FOUND" },
        ]);
      const bakery = viewOf(s.engine as Engine, s.settings, "bakery");
      assert.ok(!JSON.stringify(await exported(s, NUMBER, bakery)).includes("brakes"));
      assert.equal((await erased(s, NUMBER, bakery)).result, "erased");
      assert.deepEqual(await idsIn(s), [there.conversationId]);
      assert.equal(await s.engine.conversations.get(here.conversationId), undefined);
      const { items } = await s.engine.inspector.refusals({ limit: 10 });
      assert.deepEqual(
        items.map(({ channel }) => channel),
        ["other"],
      );
    },
  ),

  scene("an erasure that is killed anywhere is done by asking for it again", {}, async (s) => {
    await s.receive({ sender: "+15550102", text: "neighbour" });
    for (let last = 1; ; last += 7) {
      const words = await wholeLife(s);
      let requests = 0;
      const doomed = await s.openWatched(`doomed-${last}`, async () => {
        requests += 1;
        if (requests > last) throw new Error("killed");
      });
      const isDone = await erased(s, NUMBER, doomed).then(
        () => true,
        () => false,
      );
      await erased(s, NUMBER);
      // The dead one may have left a lease that names no person.
      await s.leaseLapses();
      assert.deepEqual(await exported(s, NUMBER), [], `killed after ${last} requests`);
      const bytes = (await s.fixture.keeps?.()) ?? "";
      const left = [...words, NUMBER, USER].filter((word) => bytes.includes(word));
      assert.deepEqual(left, [], `killed after ${last} requests`);
      if (isDone) break;
    }
    assert.equal((await s.conversations()).length, 1);
  }),

  scene("a visitor who takes a customer's number for a name is another person", STRANGER, async (s) => {
    const customer = { sender: NUMBER, address: OURS[0] };
    const visitor = { sender: "15550101", address: "page", channel: "web" };
    await s.receive({ ...customer, text: "of the customer" });
    const { conversationId } = await s.receive({ ...visitor, text: "of the stranger" });
    for (const arrival of [customer, visitor])
      await s.engine.receiving.stage([{ arrival: s.arrival(arrival), refusal: "ROUTE_NOT_FOUND" }]);
    for (const given of ["15550101", NUMBER, `whatsapp:${NUMBER}`]) {
      const items = await exported(s, given);
      assert.ok(JSON.stringify(items).includes("of the customer"));
      assert.ok(!/stranger|web/.test(JSON.stringify(items)), `${given} leads to the visitor`);
    }
    const onPage = await rightsOn(s, s.engine).findPerson({ customer: "15550101", channel: "web" });
    assert.deepEqual(
      onPage.places.map((place) => place.conversationIds),
      [[conversationId]],
    );
    assert.equal(onPage.kept.refusal, 1);
    const spelt = await rightsOn(s, s.engine).findPerson({ customer: NUMBER, channel: "web" });
    assert.deepEqual(spelt.kept, {});
    assert.equal((await erased(s, "15550101")).result, "erased");
    assert.deepEqual(await idsIn(s), [conversationId]);
    const { items: left } = await s.engine.inspector.refusals({ limit: 10 });
    assert.deepEqual(
      left.map(({ channel }) => channel),
      ["web"],
    );
  }),

  scene("what a visitor's name leads to is on the page alone", STRANGER, async (s) => {
    await s.receive({ ...ANA, address: OURS[0], text: "of the customer" });
    await s.receive({ sender: NUMBER, senderAlias: "visitor-0001", address: "page", channel: "web" });
    const shown = JSON.stringify(await exported(s, "visitor-0001"));
    assert.ok(shown.includes("page") && !shown.includes("of the customer"));
  }),
];
