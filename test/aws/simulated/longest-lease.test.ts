import { expect, it } from "vitest";
import { LEASE_MS_MAX } from "../../../src/core/defaults.ts";
import { memoryAws } from "./memory-aws.ts";

it("the longest lease also holds for a clock that is behind by the allowed skew, and no more", async () => {
  const fixture = memoryAws({ leaseMs: LEASE_MS_MAX, clockSkewMs: 2_000 });
  const { conversation } = await fixture.turnFor(fixture.open("ahead"), "hi");
  fixture.clock.setBack(2_000);
  expect((await fixture.open("behind").turns.take(conversation.id)).kind).toBe("busy");
  fixture.clock.setBack(1);
  expect((await fixture.open("far behind").turns.take(conversation.id)).kind).not.toBe("busy");
});
