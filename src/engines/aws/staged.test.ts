import { expect, it } from "vitest";
import { memoryScene } from "../../../test/aws/simulated/memory-world.ts";
import { stagedRows } from "./staged.ts";

it("what is staged comes in the order of its arrival, then of its place in the payload, then of its staging", async () => {
  const { s, world } = await memoryScene();
  const other = await s.open("worker-2");
  const { conversationId } = await s.receive({ text: "one" });
  await s.receive({ text: "two", position: 1 });
  await s.receive({ text: "before two", position: 0 });
  await s.receive({ text: "three", position: 2 });
  await s.passes(1);
  // Another process counts for itself.
  await s.receive({ text: "four", position: 0 }, other);
  const rows = await stagedRows(world.site(), conversationId);
  const texts = rows.map((row) => row.kind === "message" && row.message.text);
  expect(texts).toEqual(["one", "before two", "two", "three", "four"]);
});
