import { expect, it } from "vitest";
import { testLull } from "./test-lull.ts";

it("answers a burst once, when its window closes", async () => {
  const lull = testLull({
    window: { seconds: 10 },
    respond: async (turn) => `heard ${turn.messages.length}`,
  });
  await lull.receive("ana", "hi");
  await lull.receive("ana", "are you open?");
  await lull.advance(9_999);
  expect(lull.sent).toEqual([]);
  await lull.advance(1);
  expect(lull.sent).toEqual([{ to: "ana", text: "heard 2" }]);
  await lull.stop();
});
