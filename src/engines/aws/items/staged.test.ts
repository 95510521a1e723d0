import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { FEED_LIMITS } from "../../../core/defaults.ts";
import type { DetailLimits } from "../../../ports/inspector.ts";
import type { StageRow } from "./stage-item.ts";
import { stagedLately, stagedRows, waitsBeside } from "./staged.ts";

it("staged rows come in order of arrival, then of place in the payload, then of staging", async () => {
  const { s, fixture } = await memoryScene();
  const other = await s.open("worker-2");
  const { conversationId } = await s.receive({ text: "one" });
  await s.receive({ text: "two", position: 1 });
  await s.receive({ text: "before two", position: 0 });
  await s.receive({ text: "three", position: 2 });
  await s.passes(1);
  // Another process counts for itself.
  await s.receive({ text: "four", position: 0 }, other);
  const rows = await stagedRows(fixture.context(), conversationId);
  const texts = rows.map((row) => row.kind === "message" && row.message.text);
  expect(texts).toEqual(["one", "before two", "two", "three", "four"]);
});

it("of long waiting messages a visitor's page reads only as many pages as its bytes allow", async () => {
  const { s, fixture } = await memoryScene({}, { pageRowsMax: 2 });
  const { conversationId } = await s.receive("x".repeat(300_000));
  for (let n = 0; n < 5; n += 1) await s.receive("x".repeat(300_000));
  const { waiting: _unbounded, ...limits } = FEED_LIMITS;
  const read = async (given: DetailLimits) =>
    (await stagedLately(fixture.context(), conversationId, given)).count;
  expect(await read(FEED_LIMITS)).toBe(4);
  expect(await read({ ...FEED_LIMITS, waiting: { rowsMax: 3, bytesMax: 1_000_000 } })).toBe(3);
  expect(await read(limits)).toBe(6);
});

it("whether more waits than is known is found without reading all of it", async () => {
  const { s, fixture } = await memoryScene();
  const { conversationId, id } = await s.receive("one");
  const isMessage = ({ kind }: StageRow) => kind === "message";
  const waits = (ids: readonly string[]) => waitsBeside(fixture.context(), conversationId, ids, isMessage);
  expect([await waits([]), await waits([id])]).toEqual([true, false]);
  const said = { id: "h", conversationId, channel: "test", to: "ana", texts: ["hi"], author: "eva" };
  await s.engine.conversations.say(said);
  expect([await waits([id]), await waitsBeside(fixture.context(), conversationId, [id])]).toEqual([
    false,
    true,
  ]);
  for (let n = 0; n < 9; n += 1) await s.receive();
  fixture.requests.length = 0;
  expect(await waits([id])).toBe(true);
  // The first two rows are what a human says, and the one that is known.
  expect(fixture.requests).toHaveLength(2);
});
