import { expect, it } from "vitest";
import { as } from "../../../src/testing/engine-contract/builders.ts";
import { memoryAws } from "./memory-aws.ts";

const HOUR_MS = 3_600_000;

it("a clock set back during a look puts no standing window off: the sweep has it looked at", async () => {
  const fixture = memoryAws({ window: { kind: "quiet", quietMs: 1_000, maxMs: 4_000 } });
  const other = fixture.open("other");
  const receive = async () =>
    as("staged", (await other.receiving.stage([{ arrival: fixture.arrival() }]))[0]!);
  await other.sweeping.sweep();
  const { conversationId } = await receive();
  await fixture.clock.advance(500);
  await receive();
  await fixture.clock.advance(500);
  let isLooking = true;
  const looking = fixture.open("looking", async ({ name, args }, happen) => {
    const found = await happen();
    if (isLooking && name === "query" && args[0] === "stage") {
      isLooking = false;
      fixture.clock.setBack(HOUR_MS);
      // It arms a window at the earlier time, and the worker that its trigger wakes finds the lease held.
      await receive();
      await fixture.clock.advance(1_000);
      as("busy", await other.turns.take(conversationId));
    }
    return found;
  });
  as("later", await looking.turns.take(conversationId));
  expect(isLooking).toBe(false);
  await fixture.clock.advance(60_000);
  const before = fixture.triggers.length;
  expect((await other.sweeping.sweep()).clockSetBack).toBeDefined();
  expect(fixture.triggers.slice(before)).toMatchObject([{ conversationId }]);
  as("turn", await other.turns.take(conversationId));
});
