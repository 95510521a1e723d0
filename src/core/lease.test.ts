import { describe, expect, it } from "vitest";
import { DEFAULTS, LEASE_MS_MAX, settingsWith } from "./defaults.ts";
import { isHeld, isRunning, leaseGauges, newLease, sendByAtMs } from "./lease.ts";

const lease = { token: "t", holder: "h", turnId: "turn", takenAtMs: 0, untilAtMs: 60_000 };

describe("a lease", () => {
  it("is held until its end and not at it", () => {
    expect(isHeld(lease, 59_999, DEFAULTS.clockSkewMs)).toBe(true);
    expect(isHeld(lease, 60_000, DEFAULTS.clockSkewMs)).toBe(false);
  });

  it("is held longer by how far two clocks may be apart", () => {
    expect(isHeld(lease, 61_999, 2_000)).toBe(true);
    expect(isHeld(lease, 62_000, 2_000)).toBe(false);
  });

  it("that ends later than any lease can is not held", () => {
    const last = { ...lease, untilAtMs: LEASE_MS_MAX + 2_000 };
    expect(isHeld(last, 0, 2_000)).toBe(true);
    expect(isHeld(last, 0, 1_999)).toBe(false);
    expect(isHeld({ ...last, untilAtMs: last.untilAtMs + 1 }, 0, 2_000)).toBe(false);
  });

  it("that does not exist is free", () => {
    expect(isHeld(undefined, 0, 0)).toBe(false);
  });
});

it("of many leases the oldest is reported, and how many have lapsed", () => {
  const leases = [
    { ...lease, takenAtMs: 7 },
    { ...lease, takenAtMs: 9, untilAtMs: 50_000 },
  ];
  expect(leaseGauges(leases, 50_000, 0)).toEqual({ staleLeases: 1, oldestLeaseAtMs: 7 });
  expect(leaseGauges([], 50_000, 0)).toEqual({ staleLeases: 0 });
});

it("a turn runs under a held lease that names one", () => {
  expect(isRunning(lease, 59_999, 0)).toBe(true);
  expect(isRunning(lease, 60_000, 0)).toBe(false);
  expect(isRunning({ ...lease, turnId: "" }, 59_999, 0)).toBe(false);
  expect(isRunning(undefined, 0, 0)).toBe(false);
});

describe("a send", () => {
  it("may be under way for the send timeout", () => {
    expect(sendByAtMs(1_000, 1_000 + DEFAULTS.leaseMs, DEFAULTS)).toBe(16_000);
  });

  it("may not outlive the lease, less the clocks' difference", () => {
    expect(sendByAtMs(1_000, 10_000, DEFAULTS)).toBe(10_000);
    expect(sendByAtMs(1_000, 10_000, { ...DEFAULTS, clockSkewMs: 2_000 })).toBe(8_000);
  });

  it("has at most a third of a short lease", () => {
    const short = settingsWith({ leaseMs: 9_000 });
    expect(sendByAtMs(0, short.leaseMs, short)).toBe(3_000);
  });
});

it("a new lease lasts from now on, and may be for a turn that is not known yet", () => {
  const taker = { token: "t", holder: "h", nowMs: 5 };
  const taken = { token: "t", holder: "h", takenAtMs: 5, untilAtMs: 60_005 };
  expect(newLease(taker, { leaseMs: 60_000 })).toEqual({ ...taken, turnId: "" });
  expect(newLease(taker, { leaseMs: 60_000 }, "turn")).toEqual({ ...taken, turnId: "turn" });
});
