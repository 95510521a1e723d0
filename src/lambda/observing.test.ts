import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ConfigError } from "../errors.ts";
import type { Log } from "../model/log.ts";
import { FunctionRuntime } from "./function-runtime.ts";
import { lambdaLog } from "./logger.ts";
import { counting } from "./metrics.ts";
import { webhookHandler } from "./webhook.ts";

/** Powertools writes to the console in this mode, where a test can read it. */
let lines: string[];
beforeEach(() => {
  lines = [];
  vi.stubEnv("POWERTOOLS_DEV", "true");
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  for (const method of ["debug", "info", "warn", "error", "log"] as const)
    vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
const silent: Log = () => {};

describe("a log line", () => {
  test("has the event as its message and as a field, the level, the service and the request", () => {
    const { log, begin } = lambdaLog("lull", {});
    begin({ awsRequestId: "r-1", functionName: "worker", getRemainingTimeInMillis: () => 1 });
    log("info", "turn.committed", { conversation: "c1", messages: 3 });
    expect(parsed()).toMatchObject([
      {
        level: "INFO",
        message: "turn.committed",
        event: "turn.committed",
        service: "lull",
        function_request_id: "r-1",
        conversation: "c1",
        messages: 3,
      },
    ]);
  });

  test("holds no texts and no addresses", () => {
    const { log } = lambdaLog("lull", {});
    log("warn", "webhook.refused", {
      sender: "+15550100123",
      text: "secret",
      reason: "from +50370000001, no",
    });
    expect(lines[0]).not.toMatch(/15550100123|50370000001|secret/);
    expect(parsed()[0]).toMatchObject({ sender: "****23", reason: "from ****01, no" });
  });

  test.each([
    [{}, ["info", "warn", "error"]],
    [{ LULL_LOG_LEVEL: "debug" }, ["debug", "info", "warn", "error"]],
    [{ LULL_LOG_LEVEL: "error" }, ["error"]],
  ])("with %o is written for some levels", (env, expected) => {
    const { log } = lambdaLog("lull", env);
    for (const level of ["debug", "info", "warn", "error"] as const) log(level, "x");
    expect(parsed().map(({ level }) => String(level).toLowerCase())).toEqual(expected);
  });

  test("keeps fields that Powertools has names for", () => {
    const { log } = lambdaLog("lull", {});
    log("info", "x", { level: "high", service: "other", message: "words", timestamp: 7 });
    expect(lines).toHaveLength(1);
    expect(parsed()[0]).toMatchObject({
      level: "INFO",
      message: "x",
      service: "lull",
      field_message: "words",
      field_timestamp: 7,
    });
  });
});

describe("metrics", () => {
  test("are counted from log events, whatever the level, and written once an invocation", () => {
    const { counted, flush } = counting("shop");
    const log = counted(silent);
    for (const event of ["window.armed", "window.armed", "lease.taken", "turn.committed", "nothing.of-ours"])
      log("debug", event);
    log("error", "sweep.orphan", { conversation: "c1" });
    log("warn", "sweep.retriggered", { retriggered: 7 });
    log("error", "store.quarantined", { table: "conversations-stage", rows: 3 });
    flush();
    flush();
    expect(parsed()).toMatchObject([
      {
        service: "shop",
        MessagesStaged: 2,
        LeasesTaken: 1,
        TurnsCommitted: 1,
        Orphans: 1,
        Retriggered: 7,
        RowsQuarantined: 3,
      },
    ]);
    const [{ Namespace, Dimensions, Metrics }] = (
      parsed()[0]!._aws as {
        CloudWatchMetrics: [{ Namespace: string; Dimensions: string[][]; Metrics: object[] }];
      }
    ).CloudWatchMetrics;
    expect([Namespace, Dimensions]).toEqual(["Lull", [["service"]]]);
    expect(Metrics).toContainEqual({ Name: "Orphans", Unit: "Count" });
  });

  test("are passed on as log lines too", () => {
    const told: unknown[] = [];
    const { counted } = counting("lull");
    counted((...line) => told.push(line))("warn", "lease.lost", { conversation: "c1" });
    expect(told).toEqual([["warn", "lease.lost", { conversation: "c1" }]]);
  });

  test.each([
    ["window.armed", "MessagesStaged"],
    ["message.refused", "MessagesRefused"],
    ["webhook.failed", "WebhooksFailed"],
    ["webhook.refused", "WebhooksRefused"],
    ["lease.taken", "LeasesTaken"],
    ["lease.busy", "LeasesBusy"],
    ["lease.lost", "LeasesLost"],
    ["turn.committed", "TurnsCommitted"],
    ["turn.dead", "TurnsDead"],
    ["send.unknown", "SendsUnknown"],
    ["trigger.unreadable", "TriggersUnreadable"],
    ["store.retry", "StoreRetries"],
    ["store.quarantined", "RowsQuarantined"],
    ["conversation.not-updated", "ConversationsNotUpdated"],
  ])("%s counts as %s", (event, name) => {
    const { counted, flush } = counting("lull");
    counted(silent)("info", event);
    flush();
    expect(parsed()[0]).toHaveProperty(name, 1);
  });

  test("that gauge are written as they were", () => {
    const { gauge, flush } = counting("lull");
    gauge("LeaseHeldSecondsMax", "Seconds", 12.5);
    gauge("DeadLetters", "Count", 0);
    flush();
    expect(parsed()).toMatchObject([{ LeaseHeldSecondsMax: 12.5, DeadLetters: 0 }]);
  });

  test("tells how late each turn began, and how many conversations a sweep had to wake", () => {
    const { counted, flush } = counting("lull");
    const log = counted(silent);
    for (const lateMs of [1_500, -20, 30_000]) log("info", "lease.taken", { lateMs });
    log("warn", "sweep.retriggered", { retriggered: 4 });
    flush();
    expect(parsed()).toMatchObject([{ TurnLateSeconds: [1.5, 0, 30], LeasesTaken: 3, Retriggered: 4 }]);
  });
});

test("a function that cannot be set up logs the calls once, and counts each", async () => {
  const runtime = new FunctionRuntime(() => Promise.reject(new ConfigError("there is no table")), {});
  const handle = webhookHandler(runtime);
  for (let n = 0; n < 20; n += 1)
    expect((await handle({}, { getRemainingTimeInMillis: () => 1_000 })).statusCode).toBe(503);
  expect(parsed().filter(({ message }) => message === "webhook.failed")).toHaveLength(1);
  const counted = parsed().map(({ WebhooksFailed: failed }) => Number(failed ?? 0));
  expect(counted.reduce((sum, each) => sum + each)).toBe(20);
});
