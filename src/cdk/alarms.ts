import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Duration } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import type { LullApi } from "./api.ts";
import type { LullFunctions } from "./functions.ts";
import { LULL_TABLES, type LullTable } from "./lull-props.ts";
import { FIVE_MINUTES, type GatewayCounter, type LullMetrics, MINUTE } from "./metrics.ts";
import type { ChannelQueue } from "./queues.ts";
import { type LullTables, SHAPES } from "./tables.ts";
import type { TargetQueue } from "./target-queues.ts";

/** What is watched. */
export interface Watched {
  readonly metrics: LullMetrics;
  readonly api: LullApi;
  readonly functions: LullFunctions;
  readonly queues: readonly ChannelQueue[];
  readonly targets: readonly TargetQueue[];
  readonly tables: LullTables;
}

interface Watch {
  readonly id: string;
  readonly why: string;
  readonly metric: IMetric;
  /** It rings above this. */
  readonly above: number;
  /** How many periods in a row. One, if it is not said. */
  readonly periods?: number;
}

const LEASE_HELD_SECONDS_MAX = 300;
const STALE_LEASES_MAX = 10;
const BUSY_RATIO_MAX = 0.5;
/**
 * A queue closes the window and counts whole seconds: turns begin a second or two late, and cold starts add
 * some.
 */
const LATE_SECONDS_MAX = 20;
/** A lapsed lease is triggered again after a crash. Minute after minute, it means that no worker comes. */
const RETRIGGERED_PERIODS = 3;
/** A provider that is refused time and again has another secret than we. A few others who try are normal. */
const REFUSED_MAX = 10;
/** The SDK repeats a few within milliseconds, without any effect. */
const TABLE_THROTTLES_MAX = 10;
/** The longest delay of a trigger is 15 minutes, and its age counts from its sending: twice that is late. */
const TRIGGER_AGE_MAX = Duration.minutes(30);

export function createAlarms(parent: Construct, watched: Watched, topic: ITopic | undefined): Alarm[] {
  const scope = new Construct(parent, "Alarms");
  const alarms = [
    ...[
      ...ofTurns(watched),
      ...ofRepairs(watched),
      ...ofGateway(scope, watched),
      ...ofEdges(watched),
      ...ofTargets(watched),
      ...ofTables(watched),
    ].map((watch) => createAlarm(scope, watch)),
    createSilenceAlarm(scope, watched),
  ];
  if (topic)
    for (const alarm of alarms) {
      alarm.addAlarmAction(new SnsAction(topic));
      // An operator who was woken may go back to sleep.
      alarm.addOkAction(new SnsAction(topic));
    }
  return alarms;
}

function ofTurns({ metrics }: Watched): Watch[] {
  return [
    {
      id: "Late",
      why:
        "One of ten turns began more than 20 seconds after its time: " +
        "raise the worker's concurrency, or see what holds it up.",
      metric: metrics.lateness(),
      above: LATE_SECONDS_MAX,
    },
    {
      id: "Retriggered",
      why:
        "For three minutes the sweeper had to wake conversations that no worker looked at: " +
        "the worker does not run, or dies.",
      metric: metrics.counter("Retriggered", MINUTE),
      above: 0,
      periods: RETRIGGERED_PERIODS,
    },
    {
      id: "LeaseHeld",
      why:
        "A conversation has been worked on for more than 5 minutes: " +
        "a responder hangs, or a worker died and no other took over.",
      metric: metrics.gauge("LeaseHeldSecondsMax"),
      above: LEASE_HELD_SECONDS_MAX,
    },
    {
      id: "StaleLeases",
      why: "More than 10 leases lapsed and were not taken again: workers die, or none runs.",
      metric: metrics.gauge("StaleLeases"),
      above: STALE_LEASES_MAX,
    },
    {
      id: "LeasesBusy",
      why:
        "More than half of the takes found the conversation held: " +
        "turns take longer than customers wait between messages.",
      metric: metrics.busyRatio(),
      above: BUSY_RATIO_MAX,
    },
  ];
}

/** What an operator has to look at. */
function ofRepairs({ metrics }: Watched): Watch[] {
  return [
    {
      id: "DeadLetters",
      why:
        "Messages got no turn: they ran out of attempts, or an outage lasted too long. They are kept: " +
        "see /api/dead, or lull dead, then retry or discard them.",
      metric: metrics.gauge("DeadLetters"),
      above: 0,
    },
    {
      id: "UnknownSends",
      why:
        "The provider never said what became of a reply. " +
        "See /api/unknown, or lull unknown, then mark or resend it.",
      metric: metrics.gauge("UnknownSends"),
      above: 0,
    },
    {
      id: "Orphans",
      why:
        "Messages were staged and no worker was going to look. They were armed again; " +
        "it should never happen.",
      metric: metrics.counter("Orphans"),
      above: 0,
    },
    {
      id: "RowsQuarantined",
      why:
        "Rows that are not ours are in our tables, and are passed over. The log says which: " +
        "look for store.quarantined.",
      metric: metrics.counter("RowsQuarantined"),
      above: 0,
    },
  ];
}

/**
 * What the gateway's own metrics do not tell apart: a message that was turned away, and a caller who tried
 * a route.
 */
function ofGateway(parent: Construct, { metrics, api }: Watched): Watch[] {
  const routes = ["/webhooks/*", ...api.aliases].map((path) =>
    FilterPattern.stringValue("$.route", "=", `POST ${path}`),
  );
  const webhooks = FilterPattern.any(...routes);
  const count = (metricName: GatewayCounter, status: string) => {
    new MetricFilter(parent, `${metricName}Filter`, {
      logGroup: api.accessLog as ILogGroup,
      filterPattern: FilterPattern.all(webhooks, FilterPattern.stringValue("$.status", "=", status)),
      metricNamespace: metrics.gatewayNamespace,
      metricName,
      metricValue: "1",
    });
    return metrics.gateway(metricName);
  };
  return [
    {
      id: "WebhooksThrottled",
      why:
        "Webhooks were turned away with 429. Twilio does not come back by default: " +
        "raise the limit, and fetch what was lost with lull catch-up.",
      metric: count("WebhooksThrottled", "429"),
      above: 0,
    },
    {
      id: "WebhooksRefused",
      why:
        "More than 10 webhooks were refused with 4xx: " +
        "a provider has another secret or URL than we, or a caller without the secret tries. " +
        "The log says which: look for webhook.refused.",
      metric: count("WebhooksRefused", "4*"),
      above: REFUSED_MAX,
    },
  ];
}

/** Tables that exist elsewhere are watched as well: their throttling holds us up all the same. */
function ofTables({ tables }: Watched): Watch[] {
  return LULL_TABLES.map((name) => ({
    id: `${name}-throttled`,
    why:
      `DynamoDB turned requests to ${name} away: a table that is not warm yet, a key that is too hot, ` +
      "or the account's limit. See docs/aws.md, how it scales.",
    metric: throttlesOf(tables[name].tableName, name),
    above: TABLE_THROTTLES_MAX,
  }));
}

function throttlesOf(TableName: string, name: LullTable): MathExpression {
  const indexes = (SHAPES[name].indexes ?? []).map(({ indexName }) => ({
    GlobalSecondaryIndexName: indexName,
  }));
  const metrics = [{}, ...indexes].flatMap((index) =>
    ["ReadThrottleEvents", "WriteThrottleEvents"].map(
      (metricName) =>
        new Metric({
          namespace: "AWS/DynamoDB",
          metricName,
          dimensionsMap: { TableName, ...index },
          statistic: Stats.SUM,
          period: FIVE_MINUTES,
        }),
    ),
  );
  const usingMetrics = Object.fromEntries(metrics.map((metric, n) => [`t${n}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(" + ");
  return new MathExpression({
    expression,
    usingMetrics,
    label: `throttled: ${name}`,
    period: FIVE_MINUTES,
  });
}

function ofEdges({ api, functions, queues }: Watched): Watch[] {
  const period = FIVE_MINUTES;
  return [
    {
      id: "ServerErrors",
      why: "The API answered 5xx. Twilio does not come back by default: those messages need lull catch-up.",
      metric: api.stage.metricServerError({ period, statistic: Stats.SUM }),
      above: 0,
    },
    ...Object.entries(functions).flatMap(([name, each]) => [
      {
        id: `${name}-errors`,
        why: `The function ${name} failed or ran out of time.`,
        metric: each.metricErrors({ period }),
        above: 0,
      },
      {
        id: `${name}-throttles`,
        why: `The function ${name} was not run: the account's concurrency is used up.`,
        metric: each.metricThrottles({ period }),
        above: 0,
      },
    ]),
    ...queues.flatMap(({ channel, queue, dead }) => [
      {
        id: `${channel}-dead`,
        why:
          `Triggers of ${channel} that no worker could handle. Their messages are safe: ` +
          "the sweeper wakes the conversation again.",
        metric: dead.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
        above: 0,
      },
      {
        id: `${channel}-late`,
        why: `Triggers of ${channel} wait for the worker: raise its concurrency, or see why it fails.`,
        metric: queue.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM }),
        above: TRIGGER_AGE_MAX.toSeconds(),
      },
    ]),
  ];
}

/** Those made here: a given one may be in another account, where an alarm of ours would see nothing. */
function ofTargets({ targets }: Watched): Watch[] {
  const period = FIVE_MINUTES;
  return targets.flatMap(({ id, queue, dead, lateAfter }) =>
    dead === undefined
      ? []
      : [
          {
            id: `${id}Dead`,
            why:
              `Turns in ${id} that its reader could not handle: their customers got no answer. ` +
              "Mend the reader, then start a redrive of its dead letters.",
            metric: dead.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
            above: 0,
          },
          {
            id: `${id}Late`,
            why: `A turn has been in ${id} for ${lateAfter.toHumanString()}: it has no reader, or too few.`,
            metric: queue.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM }),
            above: lateAfter.toSeconds(),
          },
        ],
  );
}

function createAlarm(scope: Construct, { id, why, metric, above, periods = 1 }: Watch): Alarm {
  return new Alarm(scope, id, {
    alarmDescription: why,
    metric,
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** Half of the other alarms rely on what the sweeper reports: its silence must not look like peace. */
function createSilenceAlarm(scope: Construct, { functions }: Watched): Alarm {
  return new Alarm(scope, "SweeperSilent", {
    alarmDescription: "The sweeper did not run for 5 minutes: nothing heals, and other alarms see nothing.",
    metric: functions.sweeper.metricInvocations({ period: FIVE_MINUTES }),
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.BREACHING,
  });
}
