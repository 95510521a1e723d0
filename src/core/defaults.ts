import type { Settings } from "./settings.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Every default in one place. A number here has a test of what happens at it. */
export const DEFAULTS: Settings = {
  channels: {},
  window: { kind: "fixed", lengthMs: 10 * SECOND },
  whileBusy: "queue",
  admission: "open",
  validation: "on-receipt",
  onUnknown: "hold",
  projectStatus: "active",
  leaseMs: 60 * SECOND,
  renewMs: 20 * SECOND,
  sweepMs: 5 * SECOND,
  graceMs: 5 * SECOND,
  attemptsMax: 5,
  backoffMs: 1 * SECOND,
  backoffMsMax: 60 * SECOND,
  receiveTimeoutMs: 10 * SECOND,
  answerTimeoutMs: 120 * SECOND,
  sendTimeoutMs: 15 * SECOND,
  settleMs: 30 * SECOND,
  settleDeadMs: 2 * SECOND,
  clockSkewMs: 0,
  batchMessagesMax: 500,
  batchBytesMax: 1_000_000,
  dedupeMs: 24 * HOUR,
  historyMessagesMax: 50,
  restartsMax: 2,
  restartPollMs: 1 * SECOND,
  pollMs: 100,
  holdMs: 60 * SECOND,
  concurrency: 50,
  bodyBytesMax: 1_000_000,
  sweepRowsMax: 1_000,
  requestsMax: 10_000,
  senderPerMinuteMax: 0,
  retentionMs: 0,
};

/** A quiet window closes at the latest after this many quiet times, where nobody said otherwise. */
export const QUIET_MAX_FACTOR = 5;

/** `sendTimeoutMs` may never exceed this share of the lease, or an open request could outlive the right to make it. */
export const SEND_TIMEOUT_SHARE = 3;

/** A lease that is hardly longer than clocks may be apart leaves no time in which its holder may be sure to send. */
export const LEASE_SKEWS_MIN = 1.5;

/** The longest dedupe memory that may be configured. */
export const DEDUPE_MS_MAX = 7 * 24 * HOUR;

/** The longest time in which messages may gather. */
export const WINDOW_MS_MAX = 7 * 24 * HOUR;

/** The longest that a responder may say it needs. */
export const LATER_MS_MAX = 7 * 24 * HOUR;

/** The longest pause that somebody's `Retry-After` may ask for. */
export const RETRY_AFTER_MS_MAX = 7 * 24 * HOUR;

/** Fills in what was left out and keeps dependent limits consistent. */
export function settingsWith(given: Partial<Settings>): Settings {
  const settings = { ...DEFAULTS, ...given };
  const leaseMs = Math.max(settings.leaseMs, settings.clockSkewMs * LEASE_SKEWS_MIN);
  return {
    ...settings,
    leaseMs,
    renewMs: given.renewMs ?? leaseMs / 3,
    sendTimeoutMs: Math.min(settings.sendTimeoutMs, leaseMs / SEND_TIMEOUT_SHARE),
    dedupeMs: Math.min(settings.dedupeMs, DEDUPE_MS_MAX),
  };
}
