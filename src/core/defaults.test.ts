import { describe, expect, it } from "vitest";
import { mostOf } from "../model/limits.ts";
import { DEFAULT_PROJECT } from "../model/project.ts";
import { NAME_LENGTH_MAX } from "../schema/schema.ts";
import {
  ATTRIBUTES_BYTES_MAX,
  CLOCK_SET_BACK_MS_MIN,
  DEFAULTS,
  HUNG_MS,
  LATER_MS_MAX,
  LEASE_MS_MAX,
  QUIET_MAX_FACTOR,
  REASON_LENGTH_MAX,
  REPLY_MEDIA_MAX,
  RETRY_AFTER_MS_MAX,
  SMALL_BODY_BYTES_MAX,
  settingsWith,
  WINDOW_MS_MAX,
} from "./defaults.ts";

const HOUR = 3_600_000;
const { own, ...forAll } = settingsWith({});
const inForce = { ...forAll, ...own[DEFAULT_PROJECT] };

describe("the defaults", () => {
  it("are those of the protocol's table", () => {
    expect(inForce).toMatchObject({
      window: { kind: "fixed", lengthMs: 10_000 },
      leaseMs: 60_000,
      renewMs: 20_000,
      sweepMs: 5_000,
      graceMs: 5_000,
      attemptsMax: 5,
      retryForMs: 30 * 60_000,
      backoffMs: 1_000,
      backoffMsMax: 60_000,
      answerTimeoutMs: 120_000,
      sendTimeoutMs: 15_000,
      settleMs: 30_000,
      clockSkewMs: 0,
      stagedMessagesMax: 2_000,
      stagedBytesMax: 8_000_000,
      batchMessagesMax: 500,
      batchBytesMax: 100_000,
      dedupeMs: 7 * 24 * HOUR,
      bodyBytesMax: 1_000_000,
      bodyTimeoutMs: 20_000,
      readingBytesMax: 16_000_000,
      historyMessagesMax: 50,
      historyBytesMax: 256_000,
      replyBytesMax: 64_000,
      replyMessagesMax: 50,
      restartsMax: 2,
      restartPollMs: 1_000,
      concurrency: 50,
      pollMs: 100,
      holdMs: 60_000,
      receiveTimeoutMs: 10_000,
      requestsMax: 5_000,
      feedRequestsMax: 30,
      connectionsMax: 6_000,
      sweepRowsMax: 1_000,
    });
    expect(QUIET_MAX_FACTOR).toBe(5);
  });

  it("have the limits beside them that the documents name", () => {
    for (const week of [WINDOW_MS_MAX, LATER_MS_MAX, RETRY_AFTER_MS_MAX]) expect(week).toBe(7 * 24 * HOUR);
    expect([CLOCK_SET_BACK_MS_MIN, HUNG_MS]).toEqual([15_000, 10_000]);
    expect([mostOf("replyBytesMax"), mostOf("replyMessagesMax"), REPLY_MEDIA_MAX]).toEqual([
      256_000, 200, 10,
    ]);
    expect(SMALL_BODY_BYTES_MAX).toBe(65_536);
    expect([NAME_LENGTH_MAX, ATTRIBUTES_BYTES_MAX, REASON_LENGTH_MAX]).toEqual([1_000, 64_000, 1_000]);
  });

  it("queue, admit every sender, check on receipt and hold unknown sends", () => {
    const { whileBusy, admission, validation, onUnknown, projects } = DEFAULTS;
    expect([whileBusy, admission, validation, onUnknown]).toEqual(["queue", "open", "on-receipt", "hold"]);
    expect(projects).toEqual({});
  });

  it("keep everything, and limit only senders that prove nothing", () => {
    const { retentionMs, senderPerMinuteMax, visitorPerMinuteMax } = DEFAULTS;
    expect([retentionMs, senderPerMinuteMax, visitorPerMinuteMax]).toEqual([0, 0, 120]);
  });
});

describe("settings", () => {
  it("are the defaults where nothing is said", () => {
    expect(inForce).toEqual({ ...DEFAULTS, renewMs: DEFAULTS.leaseMs / 3 });
  });

  it("renew a lease at a third of its length, unless another time is set", () => {
    expect(settingsWith({ leaseMs: 30_000 }).renewMs).toBe(10_000);
    expect(settingsWith({ leaseMs: 30_000, renewMs: 5_000 }).renewMs).toBe(5_000);
  });

  it("never let a lease be so short that clock skew leaves no time to send", () => {
    const apart = settingsWith({ leaseMs: 100, clockSkewMs: 2_000 });
    expect(apart.leaseMs).toBe(3_000);
    expect(apart.renewMs).toBe(1_000);
    expect(apart.sendTimeoutMs).toBe(1_000);
    expect(settingsWith({ leaseMs: 3_001, clockSkewMs: 2_000 }).leaseMs).toBe(3_001);
    expect(settingsWith({ leaseMs: 100 }).leaseMs).toBe(100);
  });

  it("never let a lease be longer than the longest that is taken for one", () => {
    expect(LEASE_MS_MAX).toBe(24 * HOUR);
    expect(settingsWith({ leaseMs: LEASE_MS_MAX }).leaseMs).toBe(LEASE_MS_MAX);
    expect(settingsWith({ leaseMs: LEASE_MS_MAX + 1 }).leaseMs).toBe(LEASE_MS_MAX);
  });

  it("never let a send take longer than a third of the lease", () => {
    expect(settingsWith({ leaseMs: 45_000 }).sendTimeoutMs).toBe(15_000);
    expect(settingsWith({ leaseMs: 44_997 }).sendTimeoutMs).toBe(14_999);
    expect(settingsWith({ sendTimeoutMs: 20_000 }).sendTimeoutMs).toBe(20_000);
    expect(settingsWith({ sendTimeoutMs: 20_001 }).sendTimeoutMs).toBe(20_000);
  });
});
