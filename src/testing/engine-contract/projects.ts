import assert from "node:assert/strict";
import type { ProjectChange } from "../../model/project.ts";
import type { GivenSettings } from "../../model/settings.ts";
import type { Engine } from "../../ports/engine.ts";
import { allSent, as, draftFor, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const FIXED = { kind: "fixed", lengthMs: 10_000 } as const;

/** Two tenants, a channel each. */
const TWO: Partial<GivenSettings> = {
  channels: {
    acme: { type: "sms", window: FIXED, project: "acme", addresses: ["+15550100"] },
    beta: { type: "sms", window: FIXED, project: "beta", addresses: ["+15550200"] },
  },
  projects: { acme: { status: "active" }, beta: { status: "active" } },
};

/** A change counts in every process within a second. */
const SOON_MS = 1_000;

const toAcme = { channel: "acme", address: "+15550100" };
const toBeta = { channel: "beta", address: "+15550200" };

async function codeOf(s: Scene, given: Parameters<Scene["arrival"]>[0]): Promise<string> {
  const outcome = await s.deliver(s.arrival(given));
  return outcome.kind === "refused" ? outcome.code : outcome.kind;
}

const SENDERS = ["ana", "ben", "cyd", "dan"];

function pauseAcme(s: Scene, paused: boolean): Promise<void> {
  return s.engine.conversations.changeProject("acme", { paused });
}

async function setFor({ inspector }: Engine, project: string): Promise<ProjectChange | undefined> {
  return (await inspector.projectChanges()).get(project);
}

/** The same waits in both projects, a worker has looked, and it goes on waiting. */
async function pileUp(s: Scene, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await s.deliver(s.arrival({ ...toAcme, text }));
    await s.deliver(s.arrival({ ...toBeta, text }));
  }
  await s.windowPasses();
  for (const { lease } of await s.turns())
    await s.engine.turns.release(lease, { kind: "retry", afterMs: 3_600_000, reason: "overloaded" });
}

/** What a project allows counts for all of its conversations, at once, and for no other project's. */
export const projects: readonly EngineCase[] = [
  scene(
    "a project that is not active refuses a first message, and no conversation is made",
    { projects: { default: { status: "trial" } } },
    async (s) => {
      assert.equal(await codeOf(s, "hi"), "PROJECT_INACTIVE");
      assert.deepEqual(await s.conversations(), []);
      await s.atRest();
    },
  ),

  scene(
    "erasing a customer of one project leaves what another refused them",
    { ...TWO, projects: { acme: { status: "active" }, beta: { status: "archived" } } },
    async (s) => {
      const { conversationId } = await s.receive(toAcme);
      assert.equal(await codeOf(s, toBeta), "PROJECT_INACTIVE");
      await s.engine.conversations.changeProject("acme", { status: "archived" });
      await s.passes(SOON_MS);
      assert.equal(await codeOf(s, toAcme), "PROJECT_INACTIVE");
      assert.equal(await s.engine.conversations.erase(conversationId), "erased");
      const { items } = await s.engine.inspector.refusals({ limit: 100 });
      assert.deepEqual(
        items.map(({ channel }) => channel),
        ["beta"],
      );
    },
  ),

  scene(
    "erasing a customer removes what the same project refused them before",
    { ...TWO, projects: { acme: { status: "archived" }, beta: { status: "archived" } } },
    async (s) => {
      assert.equal(await codeOf(s, toAcme), "PROJECT_INACTIVE");
      assert.equal(await codeOf(s, toBeta), "PROJECT_INACTIVE");
      await s.engine.conversations.changeProject("acme", { status: "active" });
      await s.passes(SOON_MS);
      const { conversationId } = await s.receive(toAcme);
      await s.engine.conversations.erase(conversationId);
      const { items } = await s.engine.inspector.refusals({ limit: 100 });
      assert.deepEqual(
        items.map(({ channel }) => channel),
        ["beta"],
      );
    },
  ),

  scene("every process derives the same secret for a purpose, and another for another", {}, async (s) => {
    const other = await s.open("worker-2");
    const secret = await s.engine.secretFor("this");
    assert.equal(Buffer.from(secret, "base64url").length, 32);
    assert.equal(await other.secretFor("this"), secret);
    assert.notEqual(await s.engine.secretFor("that"), secret);
  }),

  scene(
    "a type of channel that a project does not allow is refused from the first message on",
    { projects: { default: { status: "active", allowedChannels: ["sms"] } } },
    async (s) => assert.equal(await codeOf(s, "hi"), "CHANNEL_NOT_ALLOWED"),
  ),

  scene(
    "a status that is set while it runs counts for conversations that exist, in every process",
    {},
    async (s) => {
      const other = await s.open("worker-2");
      await s.talk("hi");
      await s.engine.conversations.changeProject("default", { status: "archived" });
      await s.passes(SOON_MS);
      assert.equal(await codeOf(s, "again"), "PROJECT_INACTIVE");
      const there = await s.deliver(s.arrival("elsewhere"), other);
      assert.equal(as("refused", there).code, "PROJECT_INACTIVE");
      assert.deepEqual(await setFor(other, "default"), { status: "archived" });

      await s.engine.conversations.changeProject("default", undefined);
      await s.passes(SOON_MS);
      await s.receive("and again", other);
      assert.equal(await setFor(other, "default"), undefined);
    },
  ),

  scene("what waits when its project is stopped gets a turn that is told so", {}, async (s) => {
    await s.receive("hi");
    await s.engine.conversations.changeProject("default", { status: "archived" });
    await s.windowPasses();
    assert.equal((await s.take()).project.status, "archived");
  }),

  scene("channels and status are set one by one, and each keeps the other", {}, async (s) => {
    await s.engine.conversations.changeProject("default", { status: "archived" });
    await s.engine.conversations.changeProject("default", { allowedChannels: ["sms"] });
    const both = { status: "archived", allowedChannels: ["sms"] };
    assert.deepEqual(await setFor(s.engine, "default"), both);
    await s.engine.conversations.changeProject("default", { status: "active", allowedChannels: null });
    await s.passes(SOON_MS);
    await s.receive("hi");
    await s.windowPasses();
    assert.deepEqual((await s.take()).project, { status: "active" });
  }),

  scene("what is set is told for all projects at once, and for no other name", TWO, async (s) => {
    const { conversations, inspector } = s.engine;
    assert.equal((await inspector.projectChanges()).size, 0);
    await conversations.changeProject("acme", { status: "archived", allowedChannels: ["sms"] });
    await conversations.changeProject("beta", { paused: true });
    // A project of another process: it is not configured in this one.
    await conversations.changeProject("constructor", { allowedChannels: null });
    await conversations.pauseAll(true);
    const set = {
      acme: { status: "archived", allowedChannels: ["sms"] },
      beta: { paused: true },
      constructor: { allowedChannels: null },
    };
    assert.deepEqual(await inspector.projectChanges(), new Map(Object.entries(set)));
    await conversations.changeProject("beta", { paused: false });
    assert.deepEqual([...(await inspector.projectChanges()).keys()].toSorted(), ["acme", "constructor"]);
  }),

  scene("channels and status that are set at the same time keep each other", TWO, async (s) => {
    const other = await s.open("worker-2");
    await Promise.all([
      s.engine.conversations.changeProject("acme", { status: "archived" }),
      other.conversations.changeProject("acme", { allowedChannels: ["sms"] }),
    ]);
    const both = { status: "archived", allowedChannels: ["sms"] };
    assert.deepEqual(await setFor(s.engine, "acme"), both);
    assert.equal(await setFor(s.engine, "beta"), undefined);
    await other.conversations.changeProject("acme", undefined);
    assert.equal(await setFor(s.engine, "acme"), undefined);
  }),

  ...[
    { what: "messages", forAll: { stagedMessagesMax: 3 }, own: { stagedMessagesMax: 2 } },
    { what: "bytes", forAll: { stagedBytesMax: 1_000 }, own: { stagedBytesMax: 10 } },
  ].flatMap(({ what, forAll, own }) => [
    scene(
      `a project may let fewer ${what} wait than the others`,
      { ...TWO, ...forAll, projects: { acme: { status: "active", own }, beta: { status: "active" } } },
      async (s) => {
        await pileUp(s, "six of", "six of");
        assert.equal(await codeOf(s, toAcme), "RATE_LIMITED");
        assert.equal(await codeOf(s, toBeta), "staged");
      },
    ),
    scene(
      `a project may let more ${what} wait than the others`,
      { ...TWO, ...own, projects: { acme: { status: "active", own: forAll }, beta: { status: "active" } } },
      async (s) => {
        await pileUp(s, "six of", "six of");
        assert.equal(await codeOf(s, toAcme), "staged");
        assert.equal(await codeOf(s, toBeta), "RATE_LIMITED");
      },
    ),
  ]),

  scene("a project that is stopped stops no other", TWO, async (s) => {
    await s.engine.conversations.changeProject("acme", { status: "archived" });
    await s.passes(SOON_MS);
    assert.equal(await codeOf(s, toAcme), "PROJECT_INACTIVE");
    await s.receive(toBeta);
    await s.windowPasses();
    assert.equal((await s.take()).conversation.address, "+15550200");
  }),

  scene("a paused project keeps its messages, and answers them when it goes on", TWO, async (s) => {
    const other = await s.open("worker-2");
    const { conversationId } = await s.receive({ ...toAcme, text: "before" });
    await s.engine.conversations.changeProject("acme", { paused: true });
    await s.passes(SOON_MS);
    await s.receive({ ...toAcme, text: "meanwhile" }, other);
    await s.receive(toBeta);
    await s.windowPasses();
    const taken = await s.take(other);
    assert.equal(taken.conversation.address, "+15550200");
    await s.reply(taken);
    await s.passes(3_600_000);
    await s.nothingDue();
    assert.notEqual((await other.turns.take(conversationId)).kind, "turn");
    await s.engine.sweeping.sweep();
    await s.nothingDue(other);
    assert.equal((await s.engine.inspector.counts()).staged, 2);
    assert.deepEqual(await setFor(other, "acme"), { paused: true });

    await other.conversations.changeProject("acme", { paused: false });
    assert.equal(await setFor(s.engine, "acme"), undefined);
    await s.passes(SOON_MS);
    assert.deepEqual(textsOf(await s.take()), ["before", "meanwhile"]);
  }),

  scene("in a paused project a person is heard, and a turn that runs may finish", TWO, async (s) => {
    const { conversationId } = await s.receive({ ...toAcme, text: "one" });
    await s.windowPasses();
    const running = await s.take();
    await s.engine.conversations.changeProject("acme", { paused: true });
    await s.passes(SOON_MS);
    await s.reply(running);
    await s.receive({ ...toAcme, text: "two" });
    await s.windowPasses();
    const said = { id: "1", conversationId, channel: "acme", to: "ana", texts: ["soon"], author: "eva" };
    assert.equal(await s.engine.conversations.say(said), "staged");
    const outbound = await s.take();
    assert.deepEqual(outbound.outbound?.texts, ["soon"]);
    await s.reply(outbound);
    await s.passes(s.settings.holdMs);
    await s.nothingDue();
    await s.engine.conversations.changeProject("acme", { paused: false });
    await s.passes(SOON_MS);
    assert.deepEqual(textsOf(await s.take()), ["two"]);
  }),

  scene("what waits for a paused project keeps no other project waiting", TWO, async (s) => {
    await s.engine.conversations.changeProject("acme", { paused: true });
    await s.passes(SOON_MS);
    for (const sender of SENDERS) await s.receive({ ...toAcme, sender });
    await s.windowPasses();
    await s.nothingDue();
    await s.passes(s.settings.holdMs);
    await s.receive(toBeta);
    await s.windowPasses();
    const outcomes = await s.fixture.takeDue(s.engine, 1);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["turn"],
    );
    const others = await s.open("worker-2");
    await others.conversations.changeProject("acme", { paused: false });
    await s.passes(SOON_MS);
    assert.equal((await s.turns()).length, SENDERS.length);
  }),

  scene("a project that goes on while everything is paused is answered once all goes on", TWO, async (s) => {
    await s.engine.conversations.changeProject("acme", { paused: true });
    await s.passes(SOON_MS);
    await s.receive(toAcme);
    await s.windowPasses();
    await s.nothingDue();
    await s.engine.conversations.pauseAll(true);
    await s.engine.conversations.changeProject("acme", { paused: false });
    await s.passes(SOON_MS);
    await s.nothingDue();
    await s.engine.conversations.pauseAll(false);
    await s.passes(SOON_MS);
    await s.take();
  }),

  scene("a reset ends what was set for a paused project, and not its pause", TWO, async (s) => {
    await s.receive(toAcme);
    await s.engine.conversations.changeProject("acme", { paused: true, allowedChannels: ["sms"] });
    await s.engine.conversations.changeProject("acme", undefined);
    assert.deepEqual(await setFor(s.engine, "acme"), { paused: true });
    await s.passes(SOON_MS);
    await s.windowPasses();
    await s.nothingDue();
    await s.engine.conversations.changeProject("acme", { paused: false });
    await s.passes(SOON_MS);
    await s.take();
  }),

  ...[
    { what: "its project is", pause: (s: Scene, paused: boolean) => pauseAcme(s, paused) },
    { what: "everything is", pause: (s: Scene, paused: boolean) => s.engine.conversations.pauseAll(paused) },
  ].map(({ what, pause }) =>
    scene(
      `on turn, a message waits for its record while ${what} paused`,
      { ...TWO, validation: "on-turn", admission: "known" },
      async (s) => {
        await pause(s, true);
        await s.passes(SOON_MS);
        await s.receive(toAcme);
        await s.windowPasses();
        await s.nothingDue();
        assert.deepEqual(await s.dead(), []);
        assert.equal((await s.engine.inspector.counts()).staged, 1);
        await s.engine.conversations.create({ channelType: "sms", address: "+15550100", sender: "ana" });
        await pause(s, false);
        await s.passes(SOON_MS);
        await s.take();
      },
    ),
  ),

  scene(
    "a project may admit known customers only, while another is open",
    {
      ...TWO,
      projects: { acme: { status: "active", own: { admission: "known" } }, beta: { status: "active" } },
    },
    async (s) => {
      assert.equal(await codeOf(s, toAcme), "CONVERSATION_NOT_FOUND");
      const acme = { channelType: "sms", address: "+15550100", sender: "ana" };
      await s.engine.conversations.create(acme);
      await s.receive(toAcme);
      await s.receive({ ...toAcme, text: "two" });
      await s.receive(toBeta);
      await s.windowPasses();
      const counts = (await s.turns()).map(({ messages }) => messages.length);
      assert.deepEqual(counts.toSorted(), [1, 2]);
    },
  ),

  scene(
    "a project may turn away what comes while it answers, while another lets it wait",
    {
      ...TWO,
      projects: { acme: { status: "active", own: { whileBusy: "reject" } }, beta: { status: "active" } },
    },
    async (s) => {
      await s.receive(toAcme);
      await s.receive(toBeta);
      await s.windowPasses();
      assert.equal((await s.turns()).length, 2);
      assert.equal(await codeOf(s, toAcme), "CONVERSATION_LOCKED");
      assert.equal(await codeOf(s, toBeta), "staged");
    },
  ),

  scene(
    "only the project that restarts its answers is told of newer messages",
    {
      ...TWO,
      projects: { acme: { status: "active", own: { whileBusy: "restart" } }, beta: { status: "active" } },
    },
    async (s) => {
      await s.receive(toAcme);
      await s.receive(toBeta);
      await s.windowPasses();
      const turns = await s.turns();
      await s.receive({ ...toAcme, text: "two" });
      await s.receive({ ...toBeta, text: "two" });
      for (const taken of turns) {
        const drafted = await s.engine.turns.draft(taken.lease, allSent(draftFor(taken)));
        assert.equal(drafted.kind, taken.conversation.address === "+15550100" ? "newer" : "drafted");
      }
    },
  ),
];
