import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

it("windows and leases are listed a page at a time, each conversation once", async () => {
  const { s } = await memoryScene();
  const people = Array.from({ length: 12 }, (_, at) => `person-${at}`);
  for (const sender of people) await s.receive({ sender });
  await s.windowPasses();
  expect(await s.turns()).toHaveLength(12);
  // One that is held and gathers already, and one that only gathers.
  await s.receive({ sender: "person-3" });
  await s.receive({ sender: "ben" });
  for (const limit of [1, 2, 5, 100]) {
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await s.engine.inspector.locks({ limit, ...(cursor !== undefined && { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      listed.push(...page.items.map(({ conversationId }) => conversationId));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(listed).toHaveLength(13);
    expect(new Set(listed).size).toBe(13);
  }
  expect((await s.engine.inspector.locks({ limit: 5, cursor: "no place of ours" })).items).toEqual([]);
});
