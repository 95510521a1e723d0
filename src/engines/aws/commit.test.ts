import { expect, it } from "vitest";
import { memoryScene } from "../../../test/aws/simulated/memory-world.ts";

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
