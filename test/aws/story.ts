import assert from "node:assert/strict";
import { withChunk } from "../../src/core/draft.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { Arrival } from "../../src/model/message.ts";
import type { Taken, TakeOutcome } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { arrival, draftFor, replied, sending, sent } from "../../src/testing/engine-contract/builders.ts";
import type { AwsWorld } from "./world.ts";

const REPLY = ["part one", "part two"];
const ROUNDS_MAX = 40;

/**
 * Customers, a provider that remembers what it was given, and workers that carry turns out as the runtime
 * does.
 */
export class Story {
  readonly world: AwsWorld;
  /** Chunks that reached the provider, by turn and number. */
  readonly ledger: string[] = [];
  readonly acknowledged: Arrival[] = [];
  orphans = 0;
  /** By sender. */
  readonly conversations = new Map<string, string>();
  #count = 0;

  constructor(world: AwsWorld) {
    this.world = world;
  }

  get nowMs(): number {
    return this.world.clock.nowMs();
  }

  /** Delivered to the first worker, then to the others in turn, until one says that it is durable. */
  async receive(sender: string, ...engines: Engine[]): Promise<Arrival> {
    this.#count += 1;
    const message = arrival({
      providerId: `${sender}-${this.#count}`,
      arrivedAtMs: this.nowMs,
      sender,
      text: `${this.#count}`,
    });
    for (const engine of engines) {
      const [outcome] = await engine.receiving.stage([{ arrival: message }]).catch(() => []);
      if (!outcome) continue;
      if (outcome.kind === "staged") this.conversations.set(sender, outcome.conversationId);
      assert.notEqual(outcome.kind, "refused");
      this.acknowledged.push(message);
      return message;
    }
    return assert.fail("no worker took the message");
  }

  async carryOutAll(engine: Engine, outcomes: readonly TakeOutcome[]): Promise<void> {
    for (const outcome of outcomes) if (outcome.kind === "turn") await this.carryOut(engine, outcome.taken);
  }

  /** Answer, draft, chunk by chunk, commit, and what is due behind it. */
  async carryOut(engine: Engine, taken: Taken): Promise<void> {
    let draft = taken.draft ? this.#reconciled(taken.draft) : await this.#drafted(engine, taken);
    if (!draft) return;
    for (const [chunk, { state }] of draft.chunks.entries()) {
      if (state.kind !== "pending") continue;
      const marked = sending(draft, chunk, this.nowMs + 15_000);
      if ((await engine.turns.mark(taken.lease, marked)).kind !== "marked") return;
      draft = this.#send(marked, chunk);
    }
    const committed = await engine.turns.commit(taken.lease, replied(taken, draft));
    if (committed.kind === "committed" && committed.next) await this.carryOutAll(engine, [committed.next]);
  }

  async #drafted(engine: Engine, taken: Taken): Promise<Draft | undefined> {
    const first = sending(draftFor(taken, REPLY), 0, this.nowMs + 15_000);
    const drafted = await engine.turns.draft(taken.lease, first);
    return drafted.kind === "drafted" ? this.#send(first, 0) : undefined;
  }

  #send(draft: Draft, chunk: number): Draft {
    this.ledger.push(`${draft.turnId}/${chunk}`);
    return sent(draft, chunk);
  }

  /** The provider is asked about what another worker may have sent. */
  #reconciled(draft: Draft): Draft {
    return draft.chunks.reduce((current, { state }, chunk) => {
      if (state.kind !== "sending") return current;
      const isThere = this.ledger.includes(`${draft.turnId}/${chunk}`);
      return isThere ? sent(current, chunk) : withChunk(current, chunk, { kind: "pending" });
    }, draft);
  }

  /**
   * Nothing goes wrong any more: turns are carried out, the sweeper runs, time passes, until all is at rest.
   */
  async settles(engine: Engine): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.carryOutAll(engine, await this.world.takeDue(engine));
      this.orphans += (await engine.sweeping.sweep()).orphans;
      const { staged, windows, leases } = await engine.inspector.counts();
      if (staged + windows + leases === 0) return;
      await this.world.clock.advance(20_000);
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
}

/**
 * Three messages, of which a turn takes two and the next one, under the same lease, the third, by a worker
 * that may die at any request. A fourth comes in meanwhile, by another.
 */
export async function tellWithDeath(
  story: Story,
  doomed: Engine,
  healthy: Engine,
  sender: string,
): Promise<void> {
  for (let n = 0; n < 3; n += 1) await story.receive(sender, doomed, healthy);
  await story.world.clock.advance(10_000);
  try {
    const outcomes = await story.world.takeDue(doomed);
    await story.receive(sender, healthy);
    await story.carryOutAll(doomed, outcomes);
  } catch {
    // It died. The other worker continues.
  }
  await story.settles(healthy);
}
