import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Draft } from "../../src/model/draft.ts";
import type { HistoryMessage } from "../../src/model/history.ts";
import type { Taken } from "../../src/model/take.ts";
import type { CommitOutcome, Engine } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied, silent } from "../../src/testing/engine-contract/builders.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { type Burst, countsTable, dollarsTable } from "./cost-table.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { Meter } from "./meter.ts";

/** An engine whose requests are counted. */
function meteredOn(emulators: Emulators) {
  let fixture: AwsFixture;
  let engine: Engine;
  const meter = new Meter();
  let count = 0;
  beforeAll(async () => {
    fixture = await awsFixture(emulators);
    const clients = await fixture.clients();
    meter.read(clients);
    engine = await fixture.openWith(clients, "metered");
  });
  afterAll(() => fixture.close());

  const numbers: string[] = [];
  /** Telephone numbers: most people have one, and whose it is has to be looked up. */
  function numberOf(who: string): string {
    if (!numbers.includes(who)) numbers.push(who);
    return `+1555${1_000_000 + numbers.indexOf(who)}`;
  }

  async function receive(who: string) {
    count += 1;
    const message = arrival({
      providerId: `m${count}`,
      sender: numberOf(who),
      arrivedAtMs: fixture.clock.nowMs(),
      text: "x".repeat(80),
    });
    await engine.receiving.stage([{ arrival: message }]);
    return meter.take();
  }

  /** One look that finds a due window: what a Lambda function or a worker does for each trigger. */
  async function take(): Promise<Taken> {
    await fixture.held.releaseDue(fixture.clock.nowMs());
    meter.take();
    const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
    const [outcome] = outcomes;
    if (outcome?.kind !== "turn") throw new Error("no turn is due");
    return outcome.taken;
  }

  async function finish(taken: Taken): Promise<Draft> {
    const draft = draftFor(taken, "x".repeat(200));
    const sent = allSent(draft);
    await engine.turns.draft(taken.lease, draft);
    await engine.turns.commit(taken.lease, replied(taken, sent));
    return sent;
  }

  async function turn(sender: string, messages: number) {
    for (let n = 0; n < messages; n += 1) await receive(sender);
    await fixture.clock.advance(10_000);
    const taken = await take();
    const sent = await finish(taken);
    return { spent: meter.take(), conversationId: taken.conversation.id, sent };
  }

  /** What the provider tells of that reply, as Twilio does: it names the part of the reply. */
  async function callback({ turnId, chunks: [first] }: Draft, status: "delivered") {
    const providerId = first?.state.kind === "sent" ? first.state.providerId : "";
    const chunk = { turnId, chunk: 0 };
    expect(await engine.receiving.recordDelivery("test", { account: "a", providerId, status, chunk })).toBe(
      "recorded",
    );
    return meter.take();
  }

  /** A conversation with so many messages behind it, as if it had begun in another system. */
  async function ledElsewhere(sender: string, messages: number): Promise<string> {
    const { conversationId } = await turn(sender, 1);
    const conversation = (await engine.conversations.get(conversationId))!;
    const said = Array.from({ length: messages }, (_, n): HistoryMessage => {
      const role = n % 2 === 0 ? "user" : "assistant";
      const atMs = fixture.clock.nowMs() - 1_000 * (messages - n);
      return { role, text: "x".repeat(200), media: [], atMs, turnId: `turn-${Math.floor(n / 2)}` };
    });
    await engine.importConversation!({ conversation, messages: said, turns: [], names: new Map() });
    return conversationId;
  }

  const total = (requests: Record<string, number>) => Object.values(requests).reduce((sum, n) => sum + n, 0);

  return {
    meter,
    numberOf,
    receive,
    take,
    finish,
    turn,
    callback,
    ledElsewhere,
    total,
    get fixture() {
      return fixture;
    },
    get engine() {
      return engine;
    },
  };
}

describeOnEmulators("what the engine asks of AWS, counted: a burst", (emulators) => {
  const on = meteredOn(emulators);
  const { meter, numberOf, receive, take, turn, total } = on;

  it("a first message, which opens the window; the second; a redelivery", async () => {
    await turn("ana", 1);
    const first = await receive("ana");
    expect(first.requests).toEqual({ BatchGetItem: 2, Query: 1, UpdateItem: 1, PutItem: 2, SendMessage: 1 });
    expect([first.readUnits, first.writeUnits]).toEqual([3.5, 3]);
    const second = await receive("ana");
    expect(second.requests).toEqual({ BatchGetItem: 2, Query: 1, UpdateItem: 1, PutItem: 2 });
    expect([second.readUnits, second.writeUnits]).toEqual([3.5, 3]);
  });

  it("the very first message of a person also makes the conversation", async () => {
    const { requests } = await receive("a new customer");
    expect(requests).toEqual({
      Query: 2,
      BatchGetItem: 3,
      UpdateItem: 2,
      PutItem: 3,
      SendMessage: 1,
    });
  });

  it("a turn of one message, of three and of ten", async () => {
    await on.fixture.clock.advance(60_000);
    await on.fixture.takeDue(on.engine);
    const one = (await turn("one", 1)).spent;
    // Leased, disarmed, staged rows read, those known to be answered left out; asked who has the number now,
    // and whether a human took over; drafted; committed.
    expect(one.requests).toEqual({
      ReceiveMessage: 1,
      DeleteMessageBatch: 1,
      UpdateItem: 4,
      DeleteItem: 1,
      Query: 1,
      BatchGetItem: 2,
      GetItem: 4,
      TransactWriteItems: 1,
    });
    const three = (await turn("three", 3)).spent;
    const ten = (await turn("ten", 10)).spent;
    expect(three.requests).toEqual(one.requests);
    expect(ten.requests).toEqual(one.requests);
  });

  it("a look that comes too early, finds nothing, or finds it held", async () => {
    await turn("looks", 1);
    await receive("looks");
    const [conversation] = (await on.engine.inspector.conversations({ limit: 1, search: numberOf("looks") }))
      .items;
    meter.take();
    await on.engine.turns.take(conversation!.id);
    // The pause of all conversations was read a moment ago and is remembered.
    expect(total(meter.take().requests)).toBe(8);
    await on.fixture.clock.advance(10_000);
    await take();
    meter.take();
    await on.engine.turns.take(conversation!.id);
    expect(meter.take().requests).toEqual({ UpdateItem: 1, SendMessage: 1 });
  });
});

describeOnEmulators("what the engine asks of AWS, counted: what is long", (emulators) => {
  const on = meteredOn(emulators);
  const { meter, take, turn, ledElsewhere, total } = on;

  it("a turn in a conversation of 10,000 messages costs what it costs in one of ten", async () => {
    await ledElsewhere("short", 10);
    const id = await ledElsewhere("long", 10_000);
    expect((await turn("long", 10)).spent).toEqual((await turn("short", 10)).spent);
    expect(await on.engine.conversations.history(id, 50)).toHaveLength(50);
    // What was said, and beside it what got no answer.
    expect(total(meter.take().requests)).toBe(2);
  });

  it("a pile twice as long costs twice as many read units to drain", async () => {
    const drained = async (sender: string, messages: number) => {
      const arrivedAtMs = on.fixture.clock.nowMs();
      const pile = Array.from({ length: messages }, (_, n) => ({
        arrival: arrival({ providerId: `${sender}-${n}`, sender, arrivedAtMs, text: "x".repeat(4_000) }),
      }));
      await on.engine.receiving.stage(pile);
      await on.fixture.clock.advance(10_000);
      for (let taken: Taken | undefined = await take(); taken; ) {
        const committed: CommitOutcome = await on.engine.turns.commit(taken.lease, silent(taken));
        const next = committed.kind === "committed" ? committed.next : undefined;
        taken = next?.kind === "turn" ? next.taken : undefined;
      }
      return meter.take().readUnits;
    };
    const short = await drained("a pile", 60);
    expect((await drained("a longer pile", 120)) / short).toBeLessThan(2.2);
  });

  it("what is set for projects, however many there are", async () => {
    const { conversations, inspector } = on.engine;
    for (const project of ["acme", "beta", "gamma"])
      await conversations.changeProject(project, { allowedChannels: ["sms"] });
    meter.take();
    expect((await inspector.projectChanges()).size).toBe(3);
    expect(meter.take().requests).toEqual({ GetItem: 1 });
  });
});

describeOnEmulators("what the engine asks of AWS, counted: the page", (emulators) => {
  const on = meteredOn(emulators);
  const { meter, receive, take, finish, turn, callback, ledElsewhere } = on;

  it("docs/aws.md tells what was counted", async () => {
    const bursts: Burst[] = [];
    for (const messages of [1, 3, 10]) {
      const sender = `burst of ${messages}`;
      await turn(sender, 1);
      const first = await receive(sender);
      const other = await receive(sender);
      await on.fixture.clock.advance(10_000);
      await finish(await take());
      const { spent, sent } = await turn(sender, messages);
      bursts.push({ messages, first, other, turn: spent, callback: await callback(sent, "delivered") });
    }
    const [one, three, ten] = bursts as [Burst, Burst, Burst];
    const id = await ledElsewhere("history", 100);
    meter.take();
    await on.engine.conversations.history(id, 50);
    const tables = [
      countsTable([
        ["the first message of a burst", one.first],
        ["every other message", one.other],
        ["a status callback", one.callback],
        ["a turn of 1 message", one.turn],
        ["a turn of 3 messages", three.turn],
        ["a turn of 10 messages", ten.turn],
        ["the latest 50 messages, where the responder asks for them", meter.take()],
      ]),
      dollarsTable(bursts),
    ];
    const page = readFileSync(new URL("../../docs/aws.md", import.meta.url), "utf8");
    expect(tables.filter((each) => !page.includes(each)).join("\n\n")).toBe("");
  });
});
