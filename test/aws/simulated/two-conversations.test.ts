import { expect, it } from "vitest";
import { DEFAULTS } from "../../../src/core/defaults.ts";
import type { StageOutcome } from "../../../src/ports/engine.ts";
import { allSent, as, draftFor, replied, textsOf } from "../../../src/testing/engine-contract/builders.ts";
import { type Around, memoryAws } from "./memory-aws.ts";

/**
 * Lets a worker's requests through until one is about to write a row of this table, and then waits for `go`.
 */
function heldBefore(table: string) {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const around: Around = async ({ name, args }, happen) => {
    if ((name === "put" || name === "update") && args[0] === table) {
      reached.resolve();
      await go.promise;
    }
    return happen();
  };
  return { around, reached: reached.promise, go: go.resolve };
}

const diesStaging: Around = async ({ name, args }, happen) => {
  if (name === "put" && args[0] === "stage") throw new Error("died");
  return happen();
};

async function completed() {
  const fixture = memoryAws();
  const engine = fixture.open("worker");
  const first = await fixture.turnFor(engine, "hi");
  const message = fixture.arrival({ text: "one more thing" });
  const deliver = async (by = engine, arrival = message): Promise<StageOutcome> => {
    const [outcome] = await by.receiving.stage([{ arrival }]);
    return outcome!;
  };
  /** The task is completed, and something else opens the person's next conversation. */
  const goOn = async () => {
    const done = replied(first, allSent(draftFor(first)), { complete: true });
    as("committed", await engine.turns.commit(first.lease, done));
    return as("staged", await deliver(engine, fixture.arrival({ text: "something else" }))).conversationId;
  };
  const turnsIn = async (...ids: readonly string[]) => {
    await fixture.clock.advance(10_000);
    const looks = await Promise.all(ids.map((id) => engine.turns.take(id)));
    return looks.map((look) => (look.kind === "turn" ? textsOf(look.taken) : []));
  };
  return { fixture, engine, old: first.conversation.id, message, deliver, goOn, turnsIn };
}

it.each(["seen", "stage"])(
  "two deliveries of a message, one frozen before its write to %s meanwhile, make one turn",
  async (table) => {
    const { fixture, old, deliver, goOn, turnsIn } = await completed();
    const held = heldBefore(table);
    const frozen = deliver(fixture.open("frozen", held.around));
    await held.reached;
    const next = await goOn();
    const again = await deliver();
    held.go();
    const kinds = [(await frozen).kind, again.kind].sort();
    expect(kinds).toEqual(["duplicate", "staged"]);
    expect((await turnsIn(old, next)).flat().sort()).toEqual(["one more thing", "something else"]);
  },
);

it("a delivery that died before staging is repaired in the conversation that it had found", async () => {
  const { fixture, old, deliver, goOn, turnsIn } = await completed();
  await expect(deliver(fixture.open("dying", diesStaging))).rejects.toThrow("died");
  const next = await goOn();
  expect(await deliver()).toMatchObject({ kind: "staged", conversationId: old });
  expect(await deliver()).toEqual({ kind: "duplicate" });
  expect(await turnsIn(old, next)).toEqual([["one more thing"], ["something else"]]);
});

it("if the person was erased since, the message goes where the person's messages go now", async () => {
  const { fixture, engine, deliver, goOn, turnsIn } = await completed();
  const next = await goOn();
  await expect(deliver(fixture.open("dying", diesStaging))).rejects.toThrow("died");
  await engine.conversations.erase(next);
  const now = as("staged", await deliver(engine, fixture.arrival({ text: "hello again" }))).conversationId;
  expect(now).not.toBe(next);
  expect(await deliver()).toMatchObject({ kind: "staged", conversationId: now });
  expect(await deliver()).toEqual({ kind: "duplicate" });
  expect(await turnsIn(now)).toEqual([["hello again", "one more thing"]]);
});

it("a message is not staged for good: the claim goes with the memory of what was answered", async () => {
  const { fixture, message, deliver, goOn } = await completed();
  as("staged", await deliver());
  await goOn();
  const claims = () =>
    fixture.tables.all("seen", undefined, "all").filter(({ staged_in }) => staged_in !== undefined);
  expect(claims()).not.toEqual([]);
  for (const { until_at_ms } of claims())
    expect(until_at_ms).toBeLessThanOrEqual(fixture.clock.nowMs() + DEFAULTS.dedupeMs);
  expect(JSON.stringify(claims())).not.toContain(message.sender);
});
