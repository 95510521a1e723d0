import type { LogFields } from "../model/log.ts";
import type { MetricName } from "./metrics.ts";

/** What one event adds to one metric. */
export interface EventMetric {
  readonly metric: MetricName;
  /** Fields of the event that tell its series apart. Never one that names a conversation or a person. */
  readonly labels?: readonly string[];
  readonly fixed?: Readonly<Record<string, string>>;
  /** The field that says how many, of an event that stands for several. */
  readonly amount?: string;
  /** The field with the milliseconds that a histogram gets. */
  readonly observes?: string;
  /** Counted only if the event has this field. */
  readonly with?: string;
  /** Counted only if the time in this field is before the service started. */
  readonly before?: string;
  /** It is how many there were in the last hour, and falls again. */
  readonly lately?: true;
  /** What CloudWatch calls it, where functions count it. */
  readonly cloudWatch?: string;
}

const CHANNEL = ["channel"] as const;

function staged(): EventMetric[] {
  return [
    { metric: "lull_messages_staged_total", labels: CHANNEL, cloudWatch: "MessagesStaged" },
    { metric: "lull_messages_during_turn_total", labels: CHANNEL, with: "heldBy" },
  ];
}

const WHICH = ["channel", "code"] as const;
const REFUSED = { metric: "lull_messages_refused_total", labels: WHICH } as const;

/**
 * Metrics are counted from the stable log events, on one machine and in functions alike, so that a dashboard
 * and a search in the logs never disagree. Each event counts, also where the log's level hides it.
 */
const COUNTED: Readonly<Record<string, readonly EventMetric[]>> = {
  "window.armed": [...staged(), { metric: "lull_windows_armed_total", labels: CHANNEL }],
  "window.joined": [...staged(), { metric: "lull_messages_joined_total", labels: CHANNEL }],
  "message.duplicate": [{ metric: "lull_messages_duplicate_total", labels: CHANNEL }],
  "message.refused": [{ ...REFUSED, cloudWatch: "MessagesRefused" }],
  "conversation.full": [{ ...REFUSED, labels: CHANNEL, fixed: { code: "RATE_LIMITED" } }],
  "webhook.refused": [
    { metric: "lull_webhooks_refused_total", labels: WHICH, cloudWatch: "WebhooksRefused" },
    { metric: "lull_webhooks_refused_lately", labels: WHICH, lately: true },
  ],
  "webhook.failed": [{ metric: "lull_webhooks_failed_total", cloudWatch: "WebhooksFailed" }],
  "lease.taken": [
    { metric: "lull_leases_taken_total", cloudWatch: "LeasesTaken" },
    { metric: "lull_turn_late_seconds", observes: "lateMs", cloudWatch: "TurnLateSeconds" },
  ],
  "lease.busy": [{ metric: "lull_leases_busy_total", cloudWatch: "LeasesBusy" }],
  "lease.released": [{ metric: "lull_leases_released_total", labels: ["how"] }],
  "lease.lost": [{ metric: "lull_leases_lost_total", cloudWatch: "LeasesLost" }],
  "status.honoured": [{ metric: "lull_statuses_honoured_total", cloudWatch: "StatusesHonoured" }],
  "status.stale": [{ metric: "lull_statuses_stale_total", cloudWatch: "StatusesStale" }],
  "lease.taken-over": [
    { metric: "lull_leases_taken_over_total" },
    { metric: "lull_stale_leases_at_start", before: "sinceAtMs" },
  ],
  "lease.stale": [{ metric: "lull_leases_freed_total", amount: "freed" }],
  "turn.committed": [
    { metric: "lull_turns_committed_total", labels: ["outcome"], cloudWatch: "TurnsCommitted" },
    { metric: "lull_messages_answered_total", amount: "messages", with: "messages" },
    ...(["prompt", "completion"] as const).map((kind): EventMetric => {
      const amount = `${kind}Tokens`;
      return { metric: "lull_tokens_total", fixed: { kind }, amount, with: amount };
    }),
  ],
  "turn.answered": [{ metric: "lull_answer_seconds", observes: "answerMs" }],
  "turn.retry": [{ metric: "lull_turns_retried_total" }],
  "turn.dead": [{ metric: "lull_turns_dead_total", cloudWatch: "TurnsDead" }],
  "turn.abandoned": [{ metric: "lull_turns_abandoned_total" }],
  "send.done": [{ metric: "lull_sends_total", labels: ["channel", "outcome"] }],
  "send.unknown": [{ metric: "lull_sends_unknown_total", cloudWatch: "SendsUnknown" }],
  "send.late": [{ metric: "lull_sends_late_total" }],
  "sweep.orphan": [{ metric: "lull_orphans_total", cloudWatch: "Orphans" }],
  "sweep.retriggered": [
    { metric: "lull_retriggered_total", amount: "retriggered", cloudWatch: "Retriggered" },
  ],
  "trigger.unreadable": [{ metric: "lull_triggers_unreadable_total", cloudWatch: "TriggersUnreadable" }],
  "clock.set-back": [{ metric: "lull_clocks_set_back_total" }],
  "store.retry": [{ metric: "lull_store_retries_total", cloudWatch: "StoreRetries" }],
  "store.quarantined": [
    { metric: "lull_rows_quarantined_total", amount: "rows", cloudWatch: "RowsQuarantined" },
  ],
  "conversation.not-updated": [
    { metric: "lull_conversations_not_updated_total", cloudWatch: "ConversationsNotUpdated" },
  ],
  "credentials.refused": [{ metric: "lull_credentials_refused_total" }],
  "config.failed": [{ metric: "lull_config_failed_total" }],
  "api.refused": [{ metric: "lull_api_refused_total" }],
  "worker.died": [{ metric: "lull_workers_died_total" }],
  "worker.hung": [{ metric: "lull_workers_hung_total" }],
};

/** By the name of the event. A program's own log may have events of any name. */
export const EVENT_METRICS: ReadonlyMap<string, readonly EventMetric[]> = new Map(Object.entries(COUNTED));

/** How many an event stands for: one, unless it says otherwise. */
export function amountOf({ amount }: EventMetric, fields: LogFields = {}): number {
  const told = amount === undefined ? undefined : fields[amount];
  return typeof told === "number" && told >= 0 ? told : 1;
}

/** Undefined if the event does not tell. A turn that is early by a clock's step is not late. */
export function secondsOf({ observes = "" }: EventMetric, fields: LogFields = {}): number | undefined {
  const told = fields[observes];
  return typeof told === "number" ? Math.max(0, told) / 1_000 : undefined;
}
