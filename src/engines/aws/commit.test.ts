import { expect, it } from "vitest";
import { memoryScene } from "../../../test/aws/simulated/memory-world.ts";
import { StoreUnavailable } from "../../errors.ts";
import { allSent, as, draftFor, replied, textsOf } from "../../testing/engine-contract/builders.ts";

it("a commit that somebody's write came before is made again on what stands there", async () => {
  const { s, world } = await memoryScene();
  const taken = await s.turnFor("hi");
  const key = { conversation_id: taken.conversation.id };
  world.before("request.transact", async () => {
    world.write("state", { ...world.row("state", key), rev: "a callback's", channel: "elsewhere" });
  });
  await s.reply(taken);
  expect((await s.detail(taken.conversation.id)).turns).toHaveLength(1);
  expect(world.row("state", key)).toMatchObject({ turn_count: 1, channel: "elsewhere" });
  await s.atRest();
});

it("a turn after which the next cannot be taken is committed, and says that something is left", async () => {
  const { s, world } = await memoryScene({ batchMessagesMax: 1 });
  const taken = await s.turnFor("one", "two");
  const draft = draftFor(taken);
  as("drafted", await s.engine.turns.draft(taken.lease, draft));
  world.before("request.transact", async () => {
    world.before("request.delete", () => Promise.reject(new StoreUnavailable("the table is away")));
  });
  const outcome = await s.engine.turns.commit(taken.lease, replied(taken, allSent(draft)));
  expect(outcome).toEqual({ kind: "committed", isLeft: true });
  await s.leaseLapses();
  expect(textsOf(await s.take())).toEqual(["two"]);
});
