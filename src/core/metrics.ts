/** A `histogram` is in seconds. */
export interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  /** One line, for the person who reads the metric in a list. */
  readonly help: string;
}

/** Names are stable: rules and dashboards are built on them. */
export const METRICS = {
  lull_messages_staged_total: { type: "counter", help: "Messages that were taken in." },
  lull_messages_joined_total: { type: "counter", help: "Those of them that found a window standing." },
  lull_messages_during_turn_total: { type: "counter", help: "Those of them that came while a turn ran." },
  lull_messages_duplicate_total: { type: "counter", help: "Messages that came again." },
  lull_messages_refused_total: { type: "counter", help: "Messages that were refused, by code." },
  lull_messages_answered_total: { type: "counter", help: "Messages in committed turns." },
  lull_webhooks_refused_total: { type: "counter", help: "Webhooks that were refused, by code." },
  lull_webhooks_refused_lately: { type: "gauge", help: "Those of them of the last hour." },
  lull_webhooks_failed_total: { type: "counter", help: "Webhooks that could not be stored." },
  lull_windows_armed_total: { type: "counter", help: "Windows that a message opened." },
  lull_leases_taken_total: { type: "counter", help: "Leases that were taken, each for one turn." },
  lull_leases_busy_total: { type: "counter", help: "Takes that found the lease held." },
  lull_leases_released_total: { type: "counter", help: "Leases that were given back, by how." },
  lull_leases_lost_total: { type: "counter", help: "Leases that another worker took from a slow one." },
  lull_statuses_honoured_total: { type: "counter", help: "Looks that left a turn to another system." },
  lull_statuses_stale_total: { type: "counter", help: "Statuses that another system left behind." },
  lull_leases_taken_over_total: { type: "counter", help: "Stale leases that a worker took over." },
  lull_leases_freed_total: { type: "counter", help: "Leases that sweeps freed from dead processes." },
  lull_stale_leases_at_start: { type: "gauge", help: "Stale leases that are older than this service." },
  lull_turns_committed_total: { type: "counter", help: "Turns that ended, by outcome." },
  lull_turns_retried_total: { type: "counter", help: "Tries of turns that failed and come again." },
  lull_turns_dead_total: { type: "counter", help: "Turns that became dead letters." },
  lull_turns_abandoned_total: { type: "counter", help: "Turns that the store failed." },
  lull_turn_late_seconds: { type: "histogram", help: "How long after their due time turns began." },
  lull_answer_seconds: { type: "histogram", help: "How long responders took to answer." },
  lull_tokens_total: { type: "counter", help: "Tokens that committed turns used, by kind." },
  lull_sends_total: { type: "counter", help: "Messages handed to a provider, by outcome." },
  lull_sends_unknown_total: { type: "counter", help: "Replies of which it is unknown if they went out." },
  lull_sends_late_total: { type: "counter", help: "Sends that may have gone out after their deadline." },
  lull_orphans_total: { type: "counter", help: "Conversations with messages and no window, healed." },
  lull_retriggered_total: { type: "counter", help: "Conversations that had to be woken again (AWS)." },
  lull_triggers_unreadable_total: { type: "counter", help: "Foreign messages in a queue (AWS)." },
  lull_clocks_set_back_total: { type: "counter", help: "How often the machine's clock was set back." },
  lull_store_retries_total: { type: "counter", help: "Writes of turns that were tried again." },
  lull_rows_quarantined_total: { type: "counter", help: "Rows that were not ours, set aside." },
  lull_conversations_not_updated_total: { type: "counter", help: "Rows that took no update (AWS)." },
  lull_events_folded_total: { type: "counter", help: "Events that are counted as `other`, by metric." },
  lull_credentials_refused_total: { type: "counter", help: "Tries that failed on credentials of ours." },
  lull_config_failed_total: { type: "counter", help: "What failed on a setting or a secret of ours." },
  lull_api_refused_total: { type: "counter", help: "Calls to the API that were not let in." },
  lull_workers_died_total: { type: "counter", help: "Worker processes that died." },
  lull_workers_hung_total: { type: "counter", help: "Worker processes that were killed, blocked." },
  lull_dead_letters: { type: "gauge", help: "Dead letters that wait for a person." },
  lull_unknown_sends: { type: "gauge", help: "Unknown sends that wait for a person." },
  lull_quarantined_rows: {
    type: "gauge",
    help: "Rows in the quarantine; on AWS at least so many: those in place in the first 5 MB of each table.",
  },
  lull_staged_messages: { type: "gauge", help: "Messages that wait for their turn." },
  lull_stale_leases: { type: "gauge", help: "Leases that lapsed and that no worker has taken yet." },
  lull_oldest_lease_seconds: { type: "gauge", help: "How long the oldest lease is held; 0 if none is." },
  lull_store_up: { type: "gauge", help: "1 if the store could be read for this answer." },
  lull_workers: { type: "gauge", help: "Worker processes that there should be." },
  lull_workers_up: { type: "gauge", help: "Worker processes that listen." },
  lull_start_time_seconds: { type: "gauge", help: "When the service started, since 1970." },
  lull_build_info: { type: "gauge", help: "The version that runs." },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

/** Upper ends of a histogram's buckets, in seconds. */
export const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** A series by its labels: `name{channel="whatsapp"}`. */
export function seriesName(name: string, labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
