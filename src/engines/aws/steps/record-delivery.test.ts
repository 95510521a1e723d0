import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

it("the callbacks for a reply, three of them, write nothing: that it was sent is known", async () => {
  const { s, fixture } = await memoryScene();
  const { turnId } = await s.talk("hi");
  const before = fixture.requests.length;
  for (const status of ["sent", "delivered", "read"]) {
    const told = { account: "account", providerId: `out-${turnId}-0`, status, chunk: { turnId, chunk: 0 } };
    expect(await s.engine.receiving.recordDelivery("test", told)).toBe("recorded");
  }
  const asked = new Set(fixture.requests.slice(before));
  // It may be listed as unknown: who asks whether it is takes it off that list with the same request.
  expect(asked).toEqual(new Set(["request.transact", "request.get"]));
});

it("what was sent is forgotten at its time, though the table still has it", async () => {
  const { s, fixture } = await memoryScene();
  const { turnId } = await s.talk("hi");
  const status = { account: "account", providerId: `out-${turnId}-0`, status: "delivered" };
  await s.passes(7 * 24 * 3_600_000 - 1);
  expect(await s.engine.receiving.recordDelivery("test", status)).toBe("recorded");
  await s.passes(1);
  expect(await fixture.keeps?.()).toContain('"id":"out/');
  expect(await s.engine.receiving.recordDelivery("test", status)).toBe("unmatched");
});
