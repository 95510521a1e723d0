import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  SingleValueWidget,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Watched } from "./alarms.ts";
import { LULL_TABLES, type LullTable } from "./lull-props.ts";
import { FIVE_MINUTES } from "./metrics.ts";
import { type LullTables, SHAPES } from "./tables.ts";
import type { TargetQueue } from "./target-queues.ts";

const WIDTH = 8;
const period = FIVE_MINUTES;

/**
 * What an operator looks at first: does it answer, is it in time, does anything need a person, what does it
 * cost.
 */
export function createDashboard(scope: Construct, watched: Watched): Dashboard {
  const { tables } = watched;
  const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
    new GraphWidget({ title, left, right, width: WIDTH });
  return new Dashboard(scope, "Dashboard", {
    widgets: [
      needingAPerson(watched),
      [
        graph("Messages", messages(watched)),
        graph("Turns", turns(watched)),
        graph(
          "Late and busy",
          [watched.metrics.lateness(FIVE_MINUTES), watched.metrics.gauge("LeaseHeldSecondsMax")],
          [watched.metrics.busyRatio()],
        ),
      ],
      [
        graph("API: requests and errors", requests(watched)),
        graph("API: latency", latencies(watched)),
        graph("Functions: duration", durations(watched)),
      ],
      [
        graph("Queues: age of the oldest trigger", ages(watched)),
        graph("Queues: waiting triggers", waiting(watched)),
        graph("Functions: errors and throttles", failures(watched)),
      ],
      ...handedOver(watched).map((graphs) => graphs.map(({ title, left }) => graph(title, left))),
      [
        graph("Tables: read units", units(tables, "Read")),
        graph("Tables: write units", units(tables, "Write")),
        graph("Tables: tried again", [watched.metrics.counter("StoreRetries")]),
      ],
    ],
  });
}

/** All zero on a good day. */
function needingAPerson({ metrics, queues }: Watched) {
  const dead = Object.fromEntries(
    queues.map(({ dead: queue }, n) => [
      `q${n}`,
      queue.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
    ]),
  );
  const expression = Object.keys(dead).join(" + ");
  const values = [
    metrics.gauge("DeadLetters"),
    metrics.gauge("UnknownSends"),
    metrics.gauge("StaleLeases"),
    metrics.counter("Orphans"),
    metrics.gauge("QuarantinedRows"),
    metrics.counter("RowsQuarantined"),
    new MathExpression({ expression, usingMetrics: dead, label: "DeadTriggers", period }),
  ];
  return [new SingleValueWidget({ title: "Needs a person", metrics: values, width: 3 * WIDTH, height: 3 })];
}

function messages({ metrics }: Watched): Metric[] {
  return [
    metrics.counter("MessagesStaged"),
    metrics.counter("MessagesRefused"),
    metrics.counter("WebhooksFailed"),
  ];
}

function turns({ metrics }: Watched): Metric[] {
  return [
    metrics.counter("TurnsCommitted"),
    metrics.counter("TurnsDead"),
    metrics.counter("SendsUnknown"),
    metrics.counter("LeasesLost"),
    metrics.counter("Retriggered"),
  ];
}

function requests({ metrics, api: { stage } }: Watched): Metric[] {
  return [
    stage.metricCount({ period, statistic: Stats.SUM, label: "requests" }),
    stage.metricClientError({ period, statistic: Stats.SUM, label: "4xx" }),
    stage.metricServerError({ period, statistic: Stats.SUM, label: "5xx" }),
    metrics.gateway("WebhooksThrottled"),
    metrics.gateway("WebhooksRefused"),
  ];
}

function latencies({ api: { stage } }: Watched): Metric[] {
  return ["p50", "p95", "p99"].map((statistic) =>
    stage.metricLatency({ period, statistic, label: statistic }),
  );
}

/** The worker's duration is mostly the responder's. */
function durations({ functions }: Watched): Metric[] {
  return Object.entries(functions).map(([name, each]) =>
    each.metricDuration({ period, statistic: "p95", label: `${name} p95` }),
  );
}

function failures({ functions }: Watched): Metric[] {
  return Object.entries(functions).flatMap(([name, each]) => [
    each.metricErrors({ period, label: `${name} errors` }),
    each.metricThrottles({ period, label: `${name} throttles` }),
  ]);
}

function ages({ queues }: Watched): Metric[] {
  return queues.map(({ channel, queue }) =>
    queue.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM, label: channel }),
  );
}

function waiting({ queues }: Watched): Metric[] {
  return queues.map(({ channel, queue }) =>
    queue.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM, label: channel }),
  );
}

/** A row for the queues made here that turns are handed to, where there is one. */
function handedOver({ targets }: Watched): { title: string; left: Metric[] }[][] {
  const made = targets.filter(({ dead }) => dead !== undefined);
  if (made.length === 0) return [];
  const each = (draw: (target: TargetQueue) => Metric[]) => made.flatMap(draw);
  return [
    [
      {
        title: "Handed over: age of the oldest turn",
        left: each(({ name, queue }) => [
          queue.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM, label: name }),
        ]),
      },
      {
        title: "Handed over: waiting turns, and dead ones",
        left: each(({ name, queue, dead }) =>
          [queue, ...(dead ? [dead] : [])].map((of) =>
            of.metricApproximateNumberOfMessagesVisible({
              period,
              statistic: Stats.MAXIMUM,
              label: of === dead ? `${name}, dead` : name,
            }),
          ),
        ),
      },
      {
        title: "Handed over: turns sent and done with",
        left: each(({ name, queue }) => [
          queue.metricNumberOfMessagesSent({ period, statistic: Stats.SUM, label: `${name}, sent` }),
          queue.metricNumberOfMessagesDeleted({ period, statistic: Stats.SUM, label: `${name}, done with` }),
        ]),
      },
    ],
  ];
}

/** What DynamoDB bills: a table's own units and those of its indexes, which it counts apart. */
function units(tables: LullTables, kind: "Read" | "Write"): MathExpression[] {
  return LULL_TABLES.map((name) => {
    const usingMetrics = Object.fromEntries(
      consumedBy(tables[name].tableName, name, kind).map((metric, n) => [`${name}${n}`, metric]),
    );
    const expression = Object.keys(usingMetrics)
      .map((id) => `FILL(${id}, 0)`)
      .join(" + ");
    return new MathExpression({ expression, usingMetrics, label: name, period });
  });
}

function consumedBy(TableName: string, name: LullTable, kind: "Read" | "Write"): Metric[] {
  const indexes = SHAPES[name].indexes ?? [];
  const dimensions = [{}, ...indexes.map(({ indexName }) => ({ GlobalSecondaryIndexName: indexName }))];
  return dimensions.map(
    (index) =>
      new Metric({
        namespace: "AWS/DynamoDB",
        metricName: `Consumed${kind}CapacityUnits`,
        dimensionsMap: { TableName, ...index },
        statistic: Stats.SUM,
        period,
      }),
  );
}
