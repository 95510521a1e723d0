import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { takeLease } from "./lease.ts";

const look = () => new AbortController().signal;

it("a look that fails for all conversations fails with the reason, and its triggers come again", async () => {
  const { s, fixture } = await memoryScene();
  await s.receive("hi");
  await s.windowPasses();
  fixture.before("request.update", () => Promise.reject(new StoreUnavailable("the table is away")));
  await expect(s.engine.turns.takeDue(10, look())).rejects.toBeInstanceOf(StoreUnavailable);
  expect(fixture.told("take.failed")).toHaveLength(1);
  expect(fixture.triggers()).toHaveLength(1);
  await s.take();
});

it("a look that fails for one gives the others their turns", async () => {
  const { s, fixture } = await memoryScene();
  await s.receive({ sender: "ana" });
  await s.receive({ sender: "ben" });
  await s.windowPasses();
  fixture.before("request.update", () => Promise.reject(new StoreUnavailable("the table is away")));
  const { outcomes } = await s.engine.turns.takeDue(10, look());
  expect(outcomes.map(({ kind }) => kind)).toEqual(["turn"]);
  await s.take();
});

it.each(["takes what is due", "is woken by a function"])(
  "a held conversation is looked at again through the queue of its trigger: a worker %s",
  async (how) => {
    const { s, fixture } = await memoryScene();
    const { conversationId } = await s.receive("hi");
    await s.windowPasses();
    await takeLease(fixture.context("another"), conversationId);
    const [trigger] = fixture.triggers();
    if (how === "takes what is due") await s.engine.turns.takeDue(10, look());
    else await s.engine.turns.take(conversationId, trigger);
    expect(fixture.triggers().at(-1)).toMatchObject({ conversationId, channel: "test" });
    expect(fixture.triggers().at(-1)).not.toBe(trigger);
  },
);
