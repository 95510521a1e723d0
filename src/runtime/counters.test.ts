import { describe, expect, test } from "vitest";
import type { Log } from "../model/log.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testLull } from "../testing/test-lull.ts";
import { Counters } from "./counters.ts";

const STARTED = 1_000;
const silent: Log = () => {};
const clock = fakeClock();
const { nowMs } = clock;
const made = () => new Counters({ channels: ["web", "sms"], startedAtMs: STARTED, nowMs });

describe("counters", () => {
  test("count every event, whatever its level, and pass it on", () => {
    const told: unknown[] = [];
    const counters = made();
    const log = counters.counted((...line) => told.push(line));
    log("debug", "window.armed", { channel: "web", conversation: "c1", dueAtMs: 1 });
    log("debug", "window.joined", { channel: "web", conversation: "c1", dueAtMs: 1, heldBy: "w" });
    log("error", "sweep.orphan", { conversation: "c1" });
    log("info", "constructor");
    expect(told).toHaveLength(4);
    expect(counters.series()).toMatchObject({
      'lull_messages_staged_total{channel="web"}': 2,
      'lull_windows_armed_total{channel="web"}': 1,
      'lull_messages_joined_total{channel="web"}': 1,
      'lull_messages_during_turn_total{channel="web"}': 1,
      lull_orphans_total: 1,
      lull_leases_busy_total: 0,
    });
  });

  test("add as many as an event stands for, and nothing for what it does not tell", () => {
    const counters = made();
    const log = counters.counted(silent);
    log("warn", "sweep.retriggered", { retriggered: 4 });
    log("error", "store.quarantined", { table: "states" });
    log("info", "turn.committed", { outcome: "replied", messages: 3, promptTokens: 20, completionTokens: 5 });
    log("info", "turn.committed", { outcome: "no-reply", messages: 1 });
    expect(counters.series()).toMatchObject({
      lull_retriggered_total: 4,
      lull_rows_quarantined_total: 1,
      'lull_turns_committed_total{outcome="replied"}': 1,
      'lull_turns_committed_total{outcome="no-reply"}': 1,
      lull_messages_answered_total: 4,
      'lull_tokens_total{kind="prompt"}': 20,
      'lull_tokens_total{kind="completion"}': 5,
    });
  });

  test("keep times in buckets, each with all that are shorter", () => {
    const counters = made();
    const log = counters.counted(silent);
    for (const lateMs of [-20, 10, 700, 400_000]) log("info", "lease.taken", { lateMs });
    log("info", "lease.taken", {});
    expect(counters.series()).toMatchObject({
      lull_leases_taken_total: 5,
      'lull_turn_late_seconds_bucket{le="0.01"}': 2,
      'lull_turn_late_seconds_bucket{le="0.5"}': 2,
      'lull_turn_late_seconds_bucket{le="1"}': 3,
      'lull_turn_late_seconds_bucket{le="300"}': 3,
      'lull_turn_late_seconds_bucket{le="+Inf"}': 4,
      lull_turn_late_seconds_count: 4,
      lull_turn_late_seconds_sum: 400.71,
    });
  });

  test("tell how many webhooks were refused in the last hour, and no longer", async () => {
    const counters = made();
    const log = counters.counted(silent);
    const refuse = () => log("warn", "webhook.refused", { channel: "web", code: "INVALID_SIGNATURE" });
    const lately = () =>
      counters.series()['lull_webhooks_refused_lately{channel="web",code="INVALID_SIGNATURE"}'];
    for (let count = 0; count < 5; count += 1) refuse();
    await clock.advance(1_800_000);
    refuse();
    expect(lately()).toBe(6);
    await clock.advance(1_800_000);
    expect(lately()).toBe(1);
    await clock.advance(1_800_000);
    expect(lately()).toBe(0);
  });

  test("know a lease that is older than the service", () => {
    const counters = made();
    const log = counters.counted(silent);
    log("warn", "lease.taken-over", { conversation: "c1", holder: "h", sinceAtMs: STARTED - 1 });
    log("warn", "lease.taken-over", { conversation: "c2", holder: "h", sinceAtMs: STARTED });
    expect(counters.series()).toMatchObject({
      lull_leases_taken_over_total: 2,
      lull_stale_leases_at_start: 1,
    });
  });

  test("keep a series for each channel of hundreds of tenants", () => {
    const channels = Array.from({ length: 300 }, (_, at) => `tenant-${at}`);
    const told: string[] = [];
    const counters = new Counters({ channels, startedAtMs: STARTED, nowMs });
    const log = counters.counted((_, event) => told.push(event));
    for (const channel of channels)
      for (const code of ["PROJECT_INACTIVE", "CHANNEL_NOT_ALLOWED"])
        log("info", "message.refused", { channel, code });
    const names = Object.keys(counters.series());
    expect(names.filter((name) => name.startsWith("lull_messages_refused_total{"))).toHaveLength(600);
    expect(names.join()).not.toMatch(/other|folded/);
    expect(told).not.toContain("metrics.folded");
  });

  test("say which metric has series that are folded into one, once, and count what is in it", () => {
    const told: unknown[] = [];
    const counters = made();
    const log = counters.counted((...line) => told.push(line));
    for (let at = 0; at < 103; at += 1)
      log("info", "message.refused", { channel: "sms", code: `CODE_${at}` });
    const folded = told.filter((line) => (line as string[])[1] === "metrics.folded");
    expect(folded).toEqual([["warn", "metrics.folded", { metric: "lull_messages_refused_total" }]]);
    expect(counters.series()).toMatchObject({
      'lull_events_folded_total{metric="lull_messages_refused_total"}': 3,
      'lull_messages_refused_total{channel="other",code="other"}': 3,
    });
  });

  test("make no series of what a stranger writes into a URL, nor more than a hundred of anything", () => {
    const counters = made();
    const log = counters.counted(silent);
    for (let at = 0; at < 300; at += 1) {
      log("warn", "webhook.refused", { channel: `guess-${at}`, code: "UNKNOWN_CHANNEL", reason: "none" });
      log("info", "message.refused", { channel: "sms", code: `CODE_${at}` });
    }
    const series = Object.entries(counters.series());
    const of = (metric: string) => series.filter(([name]) => name.startsWith(`${metric}{`));
    expect(of("lull_webhooks_refused_total")).toEqual([
      ['lull_webhooks_refused_total{channel="other",code="UNKNOWN_CHANNEL"}', 300],
    ]);
    expect(of("lull_messages_refused_total")).toHaveLength(101);
    expect(of("lull_messages_refused_total").at(-1)).toEqual([
      'lull_messages_refused_total{channel="other",code="other"}',
      200,
    ]);
  });

  test("have a version that changes with what is counted, and with nothing else", () => {
    const counters = made();
    const log = counters.counted(silent);
    log("debug", "sweep.done", { orphans: 0, retriggered: 0, freed: 0, expired: 0 });
    expect(counters.version).toBe(0);
    log("debug", "lease.busy");
    expect(counters.version).toBe(1);
  });
});

describe("a customer who goes on writing while being answered", () => {
  const ANSWER_MS = 30_000;
  const WINDOW_MS = 10_000;

  async function answering() {
    const logged: { event: string; fields: Readonly<Record<string, unknown>> }[] = [];
    const lull = testLull({
      window: { seconds: WINDOW_MS / 1_000 },
      log: (_level, event, fields = {}) => logged.push({ event, fields }),
      workerId: "here",
      respond: (turn) =>
        new Promise((resolve) => lull.clock.after(ANSWER_MS, () => resolve(`heard ${turn.messages.length}`))),
    });
    const fieldsOf = (name: string) =>
      logged.filter(({ event }) => event === name).map(({ fields }) => fields);
    await lull.receive("ana", "hi");
    await lull.receive("ana", "there");
    await lull.advance(WINDOW_MS);
    return { lull, fieldsOf };
  }

  test("finds the lease held once for each window that closed meanwhile", async () => {
    const { lull, fieldsOf } = await answering();
    const sinceAtMs = lull.clock.nowMs();
    await lull.receive("ana", "one more");
    await lull.receive("ana", "and another");
    await lull.advance(ANSWER_MS);
    expect(fieldsOf("lease.busy")).toEqual([
      { conversation: expect.any(String), holder: "here", sinceAtMs, dueAtMs: sinceAtMs + WINDOW_MS },
    ]);
    await lull.advance(ANSWER_MS);
    expect(lull.sent.map(({ text }) => text)).toEqual(["heard 2", "heard 2"]);
    expect(fieldsOf("window.armed").map(({ heldBy }) => heldBy)).toEqual([undefined, "here"]);
    expect(fieldsOf("window.joined").map(({ heldBy }) => heldBy)).toEqual([undefined, "here"]);
    expect(fieldsOf("lease.released")).toMatchObject([
      { how: "commit", heldMs: ANSWER_MS },
      { how: "commit", heldMs: ANSWER_MS },
    ]);
    expect(lull.service.counters.series()).toMatchObject({
      lull_leases_taken_total: 2,
      lull_leases_busy_total: 1,
      'lull_leases_released_total{how="commit"}': 2,
      'lull_messages_during_turn_total{channel="test"}': 2,
      'lull_answer_seconds_bucket{le="30"}': 2,
      'lull_sends_total{channel="test",outcome="sent"}': 2,
    });
    await lull.stop();
  });

  test("finds it free when the answer is there before the window closes", async () => {
    const { lull, fieldsOf } = await answering();
    await lull.advance(ANSWER_MS - 1);
    await lull.receive("ana", "one more");
    await lull.advance(WINDOW_MS + ANSWER_MS);
    expect(lull.sent).toHaveLength(2);
    expect(fieldsOf("lease.busy")).toEqual([]);
    await lull.stop();
  });
});
