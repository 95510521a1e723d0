import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Log, LogFields } from "../model/log.ts";

/**
 * Metrics are counted from the stable log events, so that a dashboard and a search in the logs never
 * disagree.
 */
const COUNTED: Readonly<Record<string, string>> = {
  "window.armed": "MessagesStaged",
  "message.refused": "MessagesRefused",
  "webhook.failed": "WebhooksFailed",
  "webhook.refused": "WebhooksRefused",
  "lease.taken": "LeasesTaken",
  "lease.busy": "LeasesBusy",
  "lease.lost": "LeasesLost",
  "status.honoured": "StatusesHonoured",
  "status.stale": "StatusesStale",
  "turn.committed": "TurnsCommitted",
  "turn.dead": "TurnsDead",
  "send.unknown": "SendsUnknown",
  "sweep.orphan": "Orphans",
  "trigger.unreadable": "TriggersUnreadable",
  "store.retry": "StoreRetries",
  "store.quarantined": "RowsQuarantined",
  "conversation.not-updated": "ConversationsNotUpdated",
  "sweep.retriggered": "Retriggered",
};

const NAMESPACE = "Lull";

export interface Counting {
  /** The same log, with its events counted whatever its level. */
  counted(log: Log): Log;
  gauge(name: string, unit: "Count" | "Seconds", value: number): void;
  /** Writes what was counted since the last time: one line on stdout, which CloudWatch makes metrics of. */
  flush(): void;
}

export function counting(serviceName: string): Counting {
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName });
  const counts = new Map<string, number>();
  return {
    counted: (log) => (level, event, fields) => {
      const name = COUNTED[event];
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + amount(event, fields));
      if (event === "lease.taken" && typeof fields?.lateMs === "number")
        metrics.addMetric("TurnLateSeconds", MetricUnit.Seconds, Math.max(0, fields.lateMs) / 1_000);
      log(level, event, fields);
    },
    gauge: (name, unit, value) => void metrics.addMetric(name, MetricUnit[unit], value),
    flush() {
      for (const [name, count] of counts) metrics.addMetric(name, MetricUnit.Count, count);
      counts.clear();
      // Powertools warns when there is nothing to publish.
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}

/**
 * Events that stand for several at once, such as a round of the sweeper, with the field that says how many.
 */
const AMOUNTS: Readonly<Record<string, string>> = {
  "sweep.retriggered": "retriggered",
  "store.quarantined": "rows",
};

function amount(event: string, fields: LogFields = {}): number {
  const told = fields[AMOUNTS[event] ?? ""];
  return typeof told === "number" ? told : 1;
}
