import { expect, it } from "vitest";
import { LEASE_MS_MAX } from "../../../src/core/defaults.ts";
import { memorySite } from "./memory-site.ts";

it("the longest lease also holds for a clock that is behind by the allowed skew, and no more", async () => {
  const site = memorySite({ leaseMs: LEASE_MS_MAX, clockSkewMs: 2_000 });
  const { conversation } = await site.turnFor(site.open("ahead"), "hi");
  site.clock.setBack(2_000);
  expect((await site.open("behind").turns.take(conversation.id)).kind).toBe("busy");
  site.clock.setBack(1);
  expect((await site.open("far behind").turns.take(conversation.id)).kind).not.toBe("busy");
});
