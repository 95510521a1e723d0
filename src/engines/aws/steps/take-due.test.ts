import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { StoreUnavailable } from "../../../errors.ts";

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
