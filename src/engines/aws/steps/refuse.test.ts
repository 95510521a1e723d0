import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { idOf } from "../../../testing/engine-contract/scene.ts";

it("a refusal keeps 1,024 characters of a name, whatever length its sender has", async () => {
  const { s } = await memoryScene();
  const outcome = await s.deliver(s.arrival({ sender: "x".repeat(5_000), providerId: "y".repeat(5_000) }));
  expect(outcome).toMatchObject({ kind: "refused", code: "MESSAGE_TOO_LARGE" });
  const [refusal] = (await s.engine.inspector.refusals({ limit: 10 })).items;
  expect([refusal?.sender.length, refusal?.messageId.length]).toEqual([1_024, 1_024]);
});

it.each([
  ["a number that is still to come", (nowMs: number) => nowMs + 1, 0],
  ["now", (nowMs: number) => nowMs, 1],
  ["a text, which another system wrote", (nowMs: number) => String(nowMs + 1), 1],
])("a refusal that is recorded once is on record if its item's time is %s", async (_, untilAt, records) => {
  const { s, fixture } = await memoryScene();
  const { installation } = fixture.context();
  await installation.load();
  const arrival = s.arrival("hi");
  fixture.write("seen", { id: installation.refusedKey(idOf(arrival)), until_at_ms: untilAt(s.nowMs) });
  await s.engine.receiving.stage([{ arrival, refusal: "MESSAGE_TOO_LARGE" }]);
  expect((await s.engine.inspector.counts()).refusals).toBe(records);
});

/** Requests that the erasure of a once refused person takes, beside so many unknown customers. */
async function queriesOfErasing(others: number): Promise<number> {
  const { s, fixture } = await memoryScene({}, { pageRowsMax: 5 });
  const { conversationId } = await s.receive({ sender: "ana" });
  for (const sender of ["ana", ...Array.from({ length: others }, (_, n) => `other-${n}`)])
    await s.engine.receiving.stage([{ arrival: s.arrival({ sender }), refusal: "ROUTE_NOT_FOUND" }]);
  const before = fixture.requests.length;
  expect(await s.engine.conversations.erase(conversationId)).toBe("erased");
  const asked = fixture.requests.slice(before).filter((name) => name === "request.query").length;
  expect((await s.engine.inspector.counts()).refusals).toBe(others);
  return asked;
}

it("an erased person is found by name: a flood of others' refusals is not looked through", async () => {
  expect(await queriesOfErasing(200)).toBe(await queriesOfErasing(0));
});

it("what an older version stored of a person among all unknown customers is erased with them", async () => {
  const { s, fixture } = await memoryScene();
  const { conversationId } = await s.receive({ sender: "ana" });
  const rowOf = (sender: string) => ({ conversation_id: "lull/refusal#2", item_id: `r#${sender}`, sender });
  for (const sender of ["ana", "ben"]) fixture.write("messages", rowOf(sender));
  await s.engine.conversations.erase(conversationId);
  const isKept = (sender: string) => {
    const { conversation_id, item_id } = rowOf(sender);
    return fixture.row("messages", { conversation_id, item_id }) !== undefined;
  };
  expect(["ana", "ben"].map(isKept)).toEqual([false, true]);
});
