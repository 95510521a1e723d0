import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../errors.ts";
import type { Renewal } from "../ports/engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { keepAlive } from "./heartbeat.ts";

function beating(renew: (n: number) => Renewal | Promise<Renewal>) {
  const clock = fakeClock(0);
  const lease = { conversationId: "c", token: "t", untilAtMs: 6_000 };
  let renewals = 0;
  const turns = {
    renew: async () => {
      renewals += 1;
      return renew(renewals);
    },
  };
  const heartbeat = keepAlive(turns, lease, clock, 2_000, () => {});
  return { clock, heartbeat, renewals: () => renewals };
}

const renewed = (untilAtMs: number): Renewal => ({
  kind: "renewed",
  lease: { conversationId: "c", token: "t", untilAtMs },
});

describe("a heartbeat", () => {
  it("renews at a third of the lease, on and on, until it is stopped", async () => {
    const { clock, heartbeat, renewals } = beating((n) => renewed(6_000 + n * 2_000));
    await clock.advance(4_000);
    expect(renewals()).toBe(2);
    expect(heartbeat.lease().untilAtMs).toBe(10_000);
    heartbeat.stop();
    await clock.advance(10_000);
    expect(renewals()).toBe(2);
  });

  it("says so when another worker has the lease", async () => {
    const { clock, heartbeat } = beating(() => ({ kind: "lost" }));
    await clock.advance(2_000);
    expect(heartbeat.lost.aborted).toBe(true);
  });

  it("tries again while the store is away, and gives up when the lease has ended", async () => {
    const { clock, heartbeat, renewals } = beating(() => Promise.reject(new StoreUnavailable("away")));
    await clock.advance(5_900);
    expect(heartbeat.lost.aborted).toBe(false);
    expect(renewals()).toBeGreaterThan(2);
    await clock.advance(1_000);
    expect(heartbeat.lost.aborted).toBe(true);
  });

  it("has lost at the very end of the lease: from then on it may be another's", async () => {
    const { clock, heartbeat } = beating((n) =>
      n < 3 ? renewed(6_000) : Promise.reject(new StoreUnavailable("away")),
    );
    await clock.advance(5_999);
    expect(heartbeat.lost.aborted).toBe(false);
    await clock.advance(1);
    expect(heartbeat.lost.aborted).toBe(true);
  });

  it("forgets what comes back after it was stopped", async () => {
    const answers = [Promise.withResolvers<Renewal>(), Promise.withResolvers<Renewal>()];
    for (const [n, settle] of [
      [0, () => answers[0]!.resolve({ kind: "lost" })],
      [1, () => answers[1]!.reject(new Error("away"))],
    ] as const) {
      const { clock, heartbeat } = beating(() => answers[n]!.promise);
      await clock.advance(2_000);
      heartbeat.stop();
      settle();
      await clock.advance(20_000);
      expect(heartbeat.lost.aborted).toBe(false);
    }
  });

  it("knows of renewals that other writes of the turn made", () => {
    const { heartbeat } = beating(() => renewed(0));
    heartbeat.renewed({ conversationId: "c", token: "t", untilAtMs: 9_000 });
    expect(heartbeat.lease().untilAtMs).toBe(9_000);
    heartbeat.stop();
  });
});
