import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { as, draftFor } from "../../../testing/engine-contract/builders.ts";

it("an erasure that is cut short has removed the running turn's words, and can be repeated", async () => {
  const { s, fixture } = await memoryScene();
  const taken = await s.turnFor("my secret");
  as("drafted", await s.engine.turns.draft(taken.lease, draftFor(taken, "your secret")));
  const { id } = taken.conversation;
  fixture.before("request.query", () => Promise.reject(new StoreUnavailable("the table is away")));
  await expect(s.engine.conversations.erase(id)).rejects.toBeInstanceOf(StoreUnavailable);
  const row = fixture.row("state", { conversation_id: id });
  expect(JSON.stringify(row)).not.toContain("secret");
  expect(row).not.toHaveProperty("works");
  as("lost", await s.engine.turns.draft(taken.lease, draftFor(taken, "your secret")));
  expect(await s.engine.conversations.erase(id)).toBe("erased");
  expect(fixture.row("state", { conversation_id: id })).toBeUndefined();
  await s.atRest();
});
