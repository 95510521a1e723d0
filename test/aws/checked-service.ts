import assert from "node:assert/strict";
import type { InboundMessage } from "../../src/model/message.ts";
import type { Taken, TakeOutcome, TakeResult } from "../../src/model/take.ts";
import type { Channel, Outgoing } from "../../src/ports/channel.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { createService } from "../../src/runtime/create-service.ts";
import type { Service } from "../../src/runtime/service.ts";
import { testChannel } from "../../src/testing/test-channel.ts";
import type { AwsFixture } from "./aws-fixture.ts";

export const REPLY = ["part one", "part two"];
const ROUNDS_MAX = 40;

/** One worker: the service on an engine, and the turns that were taken for it and have not begun. */
interface Worker {
  readonly service: Service;
  readonly taken: Map<string, TakeResult>;
}

/**
 * Workers, one an engine, customers, and a provider that remembers what it was given. What became of it all
 * is checked at the end.
 */
export class CheckedService {
  readonly fixture: AwsFixture;
  /** Chunks that reached the provider, by turn and number. */
  readonly ledger: string[] = [];
  readonly acknowledged: InboundMessage[] = [];
  orphans = 0;
  /** By sender. */
  readonly conversations = new Map<string, string>();
  readonly #workers = new Map<Engine, Worker>();
  #count = 0;

  constructor(fixture: AwsFixture) {
    this.fixture = fixture;
  }

  get nowMs(): number {
    return this.fixture.clock.nowMs();
  }

  /** Delivered to the first worker, then to the others in turn, until one says that it is durable. */
  async receive(sender: string, ...engines: Engine[]): Promise<InboundMessage> {
    this.#count += 1;
    const message = {
      providerId: `${sender}-${this.#count}`,
      account: "account",
      address: "lull",
      sender,
      replyTo: sender,
      text: `${this.#count}`,
      media: [],
    };
    for (const engine of engines) {
      if ((await this.deliver(message, engine)) === "unavailable") continue;
      this.acknowledged.push(message);
      return message;
    }
    return assert.fail("no engine took the message");
  }

  /** One webhook. A message that was delivered before is a duplicate, and acknowledged, too. */
  async deliver(message: InboundMessage, engine: Engine): Promise<"acknowledged" | "unavailable"> {
    const body = Buffer.from(JSON.stringify([message]));
    const request = { method: "POST", url: "http://lull.test/", headers: {}, body };
    const answer = await this.#workerOn(engine).service.receive("test", request);
    if (answer.status === 503) return "unavailable";
    assert.equal(answer.status, 200, answer.body);
    const { conversationId } = JSON.parse(answer.body) as { conversationId?: string };
    if (conversationId !== undefined) this.conversations.set(message.sender, conversationId);
    return "acknowledged";
  }

  async carryOutAll(engine: Engine, outcomes: readonly TakeOutcome[]): Promise<void> {
    for (const outcome of outcomes) if (outcome.kind === "turn") await this.carryOut(engine, outcome.taken);
  }

  /**
   * A turn that was taken already, and what is due behind it. Throws when the store was away for too long.
   */
  async carryOut(engine: Engine, taken: Taken): Promise<void> {
    const { id } = taken.conversation;
    this.#workerOn(engine).taken.set(id, { kind: "turn", taken });
    await this.wake(engine, id);
  }

  /** A wake-up out of nowhere. */
  async wake(engine: Engine, conversationId: string): Promise<void> {
    const end = await this.#workerOn(engine).service.wake(conversationId);
    assert.notEqual(end, "abandoned", "the store could not be told of a turn");
  }

  /**
   * Nothing goes wrong any more: turns are carried out, the sweeper runs, time passes, until all is at rest.
   */
  async settles(engine: Engine): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.carryOutAll(engine, await this.fixture.takeDue(engine));
      this.orphans += (await engine.sweeping.sweep()).orphans.length;
      const { staged, windows, leases } = await engine.inspector.counts();
      if (staged + windows + leases === 0) return;
      await this.fixture.clock.advance(20_000);
    }
    assert.fail("it did not come to rest");
  }

  /** Every acknowledged message of this customer is in exactly one turn, and every chunk was sent once. */
  async check(engine: Engine, sender: string): Promise<readonly string[][]> {
    const found = await engine.inspector.conversation(this.conversations.get(sender) ?? "");
    assert.ok(found, `there is no conversation with ${sender}`);
    const { turns } = found;
    const answered = turns.flatMap(({ messageIds }) => messageIds).sort();
    const expected = this.acknowledged.filter((message) => message.sender === sender);
    assert.deepEqual(
      answered,
      [...new Set(expected.map(({ providerId }) => `test/account/${providerId}`))].sort(),
    );
    assert.equal(new Set(this.ledger).size, this.ledger.length, "a chunk was sent twice");
    for (const { turnId, providerIds } of turns) {
      assert.deepEqual(
        providerIds,
        REPLY.map((_, chunk) => `out-${turnId}-${chunk}`),
      );
      for (const chunk of REPLY.keys())
        assert.ok(this.ledger.includes(`${turnId}/${chunk}`), "a chunk was never sent");
    }
    return turns.map(({ messageIds }) => [...messageIds]);
  }

  #workerOn(engine: Engine): Worker {
    const worker = this.#workers.get(engine) ?? this.#worker(engine);
    this.#workers.set(engine, worker);
    return worker;
  }

  #worker(engine: Engine): Worker {
    const taken = new Map<string, TakeResult>();
    const take = async (id: string): Promise<TakeResult> => {
      const already = taken.get(id);
      taken.delete(id);
      return already ?? engine.turns.take(id);
    };
    const { clock, settings } = this.fixture;
    const service = createService({
      engine: { name: "aws", open: async () => ({ ...engine, turns: { ...engine.turns, take } }) },
      channels: { test: this.#channel() },
      respond: () => REPLY,
      clock: waitingOnItsOwn(clock, settings.leaseMs / 4),
      limits: { leaseSeconds: settings.leaseMs / 1_000, settleSeconds: settings.settleMs / 1_000 },
      random: () => 0.5,
      log: () => {},
    });
    return { service, taken };
  }

  #channel(): Channel {
    const channel = testChannel();
    const entry = ({ reference }: Outgoing) => `${reference.turnId}/${reference.chunk}`;
    const sent = ({ reference }: Outgoing) =>
      ({ kind: "sent", providerId: `out-${reference.turnId}-${reference.chunk}` }) as const;
    return {
      ...channel,
      answer: (summary) => ({ ...channel.answer(summary), body: JSON.stringify(summary) }),
      send: async (outgoing) => {
        this.ledger.push(entry(outgoing));
        return sent(outgoing);
      },
      reconcile: async (query) => (this.ledger.includes(entry(query)) ? sent(query) : { kind: "not-sent" }),
    };
  }
}

/**
 * A worker that waits for the store to come back waits alone: the test does not move the clock meanwhile. Its
 * own time passes at once, in leaps, until its lease is over; the others' catches up.
 */
function waitingOnItsOwn(clock: Clock, leapMs: number): Clock {
  let atLeastMs = 0;
  const nowMs = () => Math.max(clock.nowMs(), atLeastMs);
  return {
    nowMs,
    after: clock.after,
    async sleep(ms, signal) {
      if (signal) return clock.sleep(ms, signal);
      atLeastMs = nowMs() + Math.max(ms, leapMs);
    },
  };
}

/**
 * Three messages come to a worker that may die at any request: one turn takes two of them, and the next,
 * under the same lease, the third. A fourth comes in meanwhile, by another worker.
 */
export async function receiveAndDie(
  service: CheckedService,
  doomed: Engine,
  healthy: Engine,
  sender: string,
): Promise<void> {
  for (let n = 0; n < 3; n += 1) await service.receive(sender, doomed, healthy);
  await service.fixture.clock.advance(10_000);
  try {
    const outcomes = await service.fixture.takeDue(doomed);
    await service.receive(sender, healthy);
    await service.carryOutAll(doomed, outcomes);
  } catch {
    // It died. The healthy worker goes on.
  }
  await service.settles(healthy);
}
