import { Alarm, ComparisonOperator, type IMetric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Duration } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import type { LullApi } from "./api.ts";
import type { LullFunctions } from "./functions.ts";
import { FIVE_MINUTES, type LullMetrics } from "./metrics.ts";
import type { ChannelQueue } from "./queues.ts";

/** What is watched. */
export interface Watched {
  readonly metrics: LullMetrics;
  readonly api: LullApi;
  readonly functions: LullFunctions;
  readonly queues: readonly ChannelQueue[];
}

interface Watch {
  readonly id: string;
  readonly why: string;
  readonly metric: IMetric;
  /** It rings above this. */
  readonly above: number;
}

const LEASE_HELD_SECONDS_MAX = 300;
const STALE_LEASES_MAX = 10;
const BUSY_RATIO_MAX = 0.5;
/** The longest that a trigger is delayed is 15 minutes, and its age counts from its sending: twice that is late. */
const TRIGGER_AGE_MAX = Duration.minutes(30);

export function createAlarms(parent: Construct, watched: Watched, topic: ITopic | undefined): Alarm[] {
  const scope = new Construct(parent, "Alarms");
  const alarms = [
    ...[...ofTurns(watched), ...ofEdges(watched)].map((watch) => createAlarm(scope, watch)),
    createSilenceAlarm(scope, watched),
  ];
  if (topic) for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  return alarms;
}

function ofTurns({ metrics }: Watched): Watch[] {
  return [
    {
      id: "LeaseHeld",
      why: "A conversation has been worked on for more than 5 minutes: a responder hangs, or a worker died and nobody took over.",
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
      why: "More than half of the takes found the conversation held: turns take longer than customers wait between messages.",
      metric: metrics.busyRatio(),
      above: BUSY_RATIO_MAX,
    },
    {
      id: "DeadLetters",
      why: "Messages got no turn: they ran out of attempts, or an outage lasted too long. They are kept: see /api/dead, or lull dead, then retry or discard them.",
      metric: metrics.gauge("DeadLetters"),
      above: 0,
    },
    {
      id: "UnknownSends",
      why: "The provider never said what became of a reply. See /api/unknown, or lull unknown, then mark or resend it.",
      metric: metrics.gauge("UnknownSends"),
      above: 0,
    },
    {
      id: "Orphans",
      why: "Messages were staged and nobody was going to look. They were armed again; it should never happen.",
      metric: metrics.counter("Orphans"),
      above: 0,
    },
    {
      id: "RowsQuarantined",
      why: "Rows that are not ours are in our tables, and are passed over. The log says which: look for store.quarantined.",
      metric: metrics.counter("RowsQuarantined"),
      above: 0,
    },
  ];
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
        why: `Triggers of ${channel} that nobody could handle. Their messages are safe: the sweeper wakes the conversation again.`,
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

function createAlarm(scope: Construct, { id, why, metric, above }: Watch): Alarm {
  return new Alarm(scope, id, {
    alarmDescription: why,
    metric,
    threshold: above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

/** Half of the others stand on what the sweeper tells: its silence must not look like peace. */
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
