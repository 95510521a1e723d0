import { describe, expect, test } from "vitest";
import { consoleLines } from "../../test/aws/console-lines.ts";
import type { Log } from "../model/log.ts";
import { counting } from "./metrics.ts";

const { parsed } = consoleLines();
const silent: Log = () => {};

describe("metrics", () => {
  test("are counted from log events, whatever the level, and written once an invocation", () => {
    const { counted, flush } = counting("shop");
    const log = counted(silent);
    for (const event of ["window.armed", "window.armed", "lease.taken", "turn.committed", "nothing.of-ours"])
      log("debug", event);
    for (const conversation of ["c1", "c2"]) log("error", "sweep.orphan", { conversation });
    log("error", "store.quarantined", { table: "conversations-stage", rows: 3 });
    flush();
    flush();
    expect(parsed()).toMatchObject([
      {
        service: "shop",
        MessagesStaged: 2,
        LeasesTaken: 1,
        TurnsCommitted: 1,
        Orphans: 2,
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
    ["window.joined", "MessagesStaged"],
    ["message.refused", "MessagesRefused"],
    ["webhook.failed", "WebhooksFailed"],
    ["webhook.refused", "WebhooksRefused"],
    ["lease.taken", "LeasesTaken"],
    ["lease.busy", "LeasesBusy"],
    ["lease.lost", "LeasesLost"],
    ["status.honoured", "StatusesHonoured"],
    ["status.stale", "StatusesStale"],
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
