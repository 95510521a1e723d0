import { afterEach, describe, expect, it } from "vitest";
import { LullError } from "../errors.ts";
import type { Log, LogFields, LogLevel } from "../model/log.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

const MINUTE = 60_000;
const CUSTOMERS = Array.from({ length: 50 }, (_, n) => `customer-${n}`);

interface Line extends LogFields {
  readonly level: LogLevel;
}

let lull: TestLull;
let lines: (readonly [event: string, line: Line])[];
afterEach(() => lull.stop());

const log: Log = (level, event, fields) => void lines.push([event, { ...fields, level }]);

function told(event: string, level?: LogLevel): Line[] {
  return lines.flatMap(([name, line]) =>
    name === event && (level ?? line.level) === line.level ? [line] : [],
  );
}

/** A service whose AI fails as it is told to. */
function open(failure: () => Error | undefined): void {
  lines = [];
  lull = testLull({
    window: { seconds: 1 },
    log,
    respond: ({ text }) => {
      const error = failure();
      if (error) throw error;
      return text;
    },
  });
}

const answered500 = (request: number) =>
  new LullError(`OpenAI answered 500 (server_error, request req_${request})`, {
    code: "OPENAI_UNAVAILABLE",
    retry: "later",
  });

describe("while the AI is away", () => {
  it("a turn that begins has a line, and its tries that follow have none", async () => {
    let isAway = true;
    open(() => (isAway ? answered500(0) : undefined));
    for (const customer of CUSTOMERS) await lull.receive(customer, "hi");
    await lull.advance(1_000);
    const before = lines.filter(([, { level }]) => level !== "debug").length;
    await lull.advance(10 * MINUTE);
    expect(told("lease.taken").length).toBeGreaterThan(10 * CUSTOMERS.length);
    expect(told("lease.taken", "info")).toHaveLength(CUSTOMERS.length);
    const since = lines.filter(([, { level }]) => level !== "debug").slice(before);
    expect(since.map(([event]) => event)).toEqual(Array(10).fill("turn.retries"));
    isAway = false;
    await lull.advance(MINUTE);
    expect(told("turn.committed", "info")).toHaveLength(CUSTOMERS.length);
  });

  it("each minute has one line: why, since when, how many retries and how many wait", async () => {
    let requests = 0;
    open(() => {
      requests += 1;
      return answered500(requests);
    });
    for (const customer of CUSTOMERS) await lull.receive(customer, "hi");
    const sinceAtMs = lull.clock.nowMs() + 1_000;
    await lull.advance(1_000 + 3 * MINUTE);
    expect(told("turn.retry", "warn")).toMatchObject([{ reason: expect.stringContaining("answered 500") }]);
    const reason = "OPENAI_UNAVAILABLE: OpenAI answered 500 (server_error, request …)";
    const sum = { reason, conversations: CUSTOMERS.length, sinceAtMs };
    expect(told("turn.retries")).toMatchObject([sum, sum, sum]);
    // What is counted from the log's events is not less for it.
    expect(told("turn.retry")).toHaveLength(requests);
    expect(told("lease.taken")).toHaveLength(requests);
    expect(await lull.service.metrics()).toMatchObject({ lull_turns_retried_total: requests });
    const more = told("turn.retries").reduce((total, each) => total + Number(each.more), 1);
    expect(more).toBeLessThanOrEqual(requests);
    await lull.stop();
    expect(told("turn.retries").reduce((total, each) => total + Number(each.more), 1)).toBe(requests);
  });

  it("it is told when it is over, once", async () => {
    let isAway = true;
    open(() => (isAway ? answered500(1) : undefined));
    for (const customer of CUSTOMERS) await lull.receive(customer, "hi");
    await lull.advance(2 * MINUTE);
    expect(told("turn.retries-over")).toEqual([]);
    isAway = false;
    await lull.advance(10 * MINUTE);
    expect(told("turn.retries-over")).toMatchObject([{ retries: told("turn.retry").length }]);
    expect(told("turn.committed")).toHaveLength(CUSTOMERS.length);
  });

  it("another reason is told at once, and a single retry has no end of its own", async () => {
    const failures = [answered500(1), new LullError("no route", { code: "X", retry: "later" })];
    open(() => failures.shift());
    await lull.receive("ana", "hi");
    await lull.advance(10 * MINUTE);
    expect(told("turn.retry", "warn").map(({ reason }) => reason)).toEqual([
      "OPENAI_UNAVAILABLE: OpenAI answered 500 (server_error, request req_1)",
      "X: no route",
    ]);
    expect([...told("turn.retries"), ...told("turn.retries-over")]).toEqual([]);
  });

  it("errors that are all different do not fill the log", async () => {
    let tries = 0;
    open(() => {
      tries += 1;
      return new LullError(`failure ${tries}`, { code: "X", retry: "later" });
    });
    for (const customer of CUSTOMERS) await lull.receive(customer, "hi");
    await lull.advance(MINUTE / 2);
    expect(tries).toBeGreaterThan(100);
    expect(told("turn.retry", "warn").length).toBeLessThan(30);
  });
});

it("an outage is not over because something else was said in a conversation that waits", async () => {
  let isAway = true;
  lines = [];
  lull = testLull({
    window: { seconds: 1 },
    log,
    failureText: "It takes longer.",
    respond: ({ text }) => {
      if (isAway) throw answered500(0);
      return text;
    },
  });
  await lull.receive("ana", "hi");
  await lull.advance(3 * MINUTE);
  expect(lull.sent.map(({ text }) => text)).toEqual(["It takes longer."]);
  expect([told("turn.retries-over").length, told("turn.retry", "warn").length]).toEqual([0, 1]);
  isAway = false;
  await lull.advance(2 * MINUTE);
  expect(told("turn.retries-over")).toHaveLength(1);
});
