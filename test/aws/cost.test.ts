import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, Taken } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../src/testing/engine-contract/builders.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { Meter } from "./meter.ts";
import { type AwsWorld, awsWorld } from "./world.ts";

describe.skipIf(unavailable)("what the engine asks of AWS, counted:", () => {
  let emulators: Emulators;
  let world: AwsWorld;
  let engine: Engine;
  const meter = new Meter();
  let count = 0;
  beforeAll(async () => {
    emulators = await startEmulators();
    world = await awsWorld(emulators);
    const clients = await world.clients();
    meter.read(clients);
    engine = await world.openWith(clients, "metered");
  });
  afterAll(async () => {
    await world.close();
    await emulators.stop();
  });

  async function receive(sender: string) {
    count += 1;
    const message = arrival({
      providerId: `m${count}`,
      sender,
      arrivedAtMs: world.clock.nowMs(),
      text: "x".repeat(80),
    });
    await engine.receiving.stage([{ arrival: message }]);
    return meter.take();
  }

  /** One look that finds a due window: what a Lambda function or a worker does for each trigger. */
  async function take(): Promise<Taken> {
    await world.held.releaseDue(world.clock.nowMs());
    meter.take();
    const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
    const [outcome] = outcomes;
    if (outcome?.kind !== "turn") throw new Error("no turn is due");
    return outcome.taken;
  }

  async function turn(sender: string, messages: number) {
    for (let n = 0; n < messages; n += 1) await receive(sender);
    await world.clock.advance(10_000);
    const taken = await take();
    const draft = draftFor(taken, "x".repeat(200));
    await engine.turns.draft(taken.lease, draft);
    await engine.turns.commit(taken.lease, replied(taken, allSent(draft)));
    return { spent: meter.take(), conversationId: taken.conversation.id };
  }

  const total = (requests: Record<string, number>) => Object.values(requests).reduce((sum, n) => sum + n, 0);

  it("a first message, which opens the window; the second; a redelivery", async () => {
    await turn("ana", 1);
    const first = await receive("ana");
    expect(first.requests).toEqual({ GetItem: 1, Query: 1, PutItem: 2, SendMessage: 1 });
    expect([first.readUnits, first.writeUnits]).toEqual([1.5, 2]);
    const second = await receive("ana");
    expect(second.requests).toEqual({ GetItem: 1, Query: 1, PutItem: 2 });
    expect([second.readUnits, second.writeUnits]).toEqual([1.5, 2]);
  });

  it("the very first message of a person also makes the conversation", async () => {
    const { requests } = await receive("somebody new");
    expect(requests).toEqual({
      GetItem: 1,
      Query: 2,
      BatchGetItem: 1,
      UpdateItem: 1,
      PutItem: 3,
      SendMessage: 1,
    });
  });

  it("a turn of one message, of three and of ten", async () => {
    await world.clock.advance(60_000);
    await world.takeDue(engine);
    const one = (await turn("one", 1)).spent;
    expect(one.requests).toEqual({
      ReceiveMessage: 1,
      DeleteMessageBatch: 1,
      UpdateItem: 4,
      DeleteItem: 1,
      Query: 1,
      BatchGetItem: 1,
      GetItem: 4,
      TransactWriteItems: 1,
    });
    const three = (await turn("three", 3)).spent;
    const ten = (await turn("ten", 10)).spent;
    expect(three.requests).toEqual(one.requests);
    expect(ten.requests).toEqual(one.requests);
    // Off the stage and remembered: four units more for every message, since a transaction counts twice.
    for (const [spent, readUnits, writeUnits] of [
      [one, 6, 23],
      [three, 8, 31],
      [ten, 15, 64],
    ] as const) {
      expect(spent.readUnits).toBeLessThanOrEqual(readUnits);
      expect(spent.writeUnits).toBeLessThanOrEqual(writeUnits);
    }
  });

  it("a turn in a long conversation costs what it costs in a short one", async () => {
    const short = (await turn("long", 1)).spent;
    for (let n = 0; n < 60; n += 1) await turn("long", 1);
    const { spent: long, conversationId } = await turn("long", 1);
    expect(long).toEqual((await turn("long", 1)).spent);
    expect(long.requests).toEqual(short.requests);
    // The latest provider ids are in the row of its state: ten at most.
    expect(long.writeUnits - short.writeUnits).toBeLessThanOrEqual(3);
    expect(long.readUnits).toBe(short.readUnits);
    meter.take();
    await engine.conversations.history(conversationId, 50);
    expect(total(meter.take().requests)).toBe(1);
  });

  it("a look that comes too early, finds nothing, or finds it held", async () => {
    await turn("looks", 1);
    await receive("looks");
    const [conversation] = (await engine.inspector.conversations({ limit: 1, search: "looks" })).items;
    meter.take();
    await engine.turns.take(conversation!.id);
    expect(total(meter.take().requests)).toBe(9);
    await world.clock.advance(10_000);
    await take();
    meter.take();
    await engine.turns.take(conversation!.id);
    expect(meter.take().requests).toEqual({ UpdateItem: 1, SendMessage: 1 });
  });
});
