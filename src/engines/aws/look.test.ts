import { expect, it } from "vitest";
import { memoryScene } from "../../../test/aws/simulated/memory-world.ts";

it("what is staged and was answered before is dropped and told, and nothing is told where nothing is", async () => {
  const { s, world } = await memoryScene();
  const { conversationId, id } = await s.receive("one");
  const row = world.row("stage", { conversation_id: conversationId, message_sid: id })!;
  await s.windowPasses();
  await s.reply(await s.take());
  expect(world.told("message.dropped")).toEqual([]);
  world.write("stage", row);
  await s.engine.turns.take(conversationId);
  expect(world.told("message.dropped")).toEqual([{ conversation: conversationId, messages: 1 }]);
  await s.atRest();
});
