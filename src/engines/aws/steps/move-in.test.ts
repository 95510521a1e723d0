import { expect, it } from "vitest";
import { memoryFixture } from "../../../../test/aws/simulated/memory-fixture.ts";
import { arrival } from "../../../testing/engine-contract/builders.ts";
import type { Item } from "../dynamo/expression.ts";
import { moveIn } from "./move-in.ts";

const KEY = { conversation_id: "theirs", message_sid: "SM1" };
const THEIRS = { ...KEY, body: "hi", received_at: 1_767_225_600 };
const ROW = { primary_channel: "ana", conversation_id: "theirs", task_complete: 0, channel_type: "test" };

/** One message of another system's, and what became of its row after it was read. */
async function movedAfter(read: Item, change: Item | undefined, times = 1) {
  const fixture = await memoryFixture();
  fixture.write("conversations", ROW);
  fixture.write("stage", read);
  const context = fixture.context();
  await context.installation.load();
  const item = fixture.row("stage", KEY)!;
  const message = { arrival: arrival({ providerId: "m1", arrivedAtMs: fixture.clock.nowMs() }), item };
  const move = () => moveIn(context, ROW, [{ ...message, table: "stage" }]);
  for (let before = 1; before < times; before += 1) await move();
  if (change) fixture.write("stage", change);
  else fixture.remove("stage", KEY);
  return { outcome: (await move())[0], row: fixture.row("stage", KEY) };
}

it.each([1, 2])("a row is gone only if nothing stands under its key: move %i of it", async (times) => {
  expect(await movedAfter(THEIRS, undefined, times)).toEqual({ outcome: "gone", row: undefined });
});

it.each([1, 2])("a row that was written again is changed, and stays: move %i of it", async (times) => {
  for (const change of [{ body: "other" }, { received_at: 1_767_225_601 }, { v: 1 }, { v: "1.0" }]) {
    const written = { ...THEIRS, ...change };
    expect(await movedAfter(THEIRS, written, times)).toEqual({ outcome: "changed", row: written });
  }
});

it("a row goes as it was read, whatever its body, its time and its v are", async () => {
  for (const body of ["hi", null, 7, { a: [1] }])
    for (const v of [undefined, 1, "1.0", null]) {
      const read = { ...THEIRS, body, v };
      expect(await movedAfter(read, read)).toEqual({ outcome: "moved", row: undefined });
    }
});
