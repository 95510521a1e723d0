import { LIMIT_DEFAULTS, mostOf } from "../model/limits.ts";
import { CHOICES, type Settings } from "../model/settings.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Every default; those of the limits are in their table. A number here has a test of what happens at it. */
export const DEFAULTS: Settings = {
  ...LIMIT_DEFAULTS,
  channels: {},
  window: { kind: "fixed", lengthMs: 10 * SECOND },
  whileBusy: CHOICES.whileBusy[0],
  admission: CHOICES.admission[0],
  validation: CHOICES.validation[0],
  onUnknown: CHOICES.onUnknown[0],
  projectStatus: "active",
  renewMs: LIMIT_DEFAULTS.leaseMs / 3,
  clockSkewMs: 0,
  holdMs: 60 * SECOND,
  sweepRowsMax: 1_000,
};

/** A quiet window closes at the latest after this many quiet times, where nobody said otherwise. */
export const QUIET_MAX_FACTOR = 5;

/** `sendTimeoutMs` may never exceed this share of the lease, or an open request could outlive the right to make it. */
export const SEND_TIMEOUT_SHARE = 3;

/** A lease that is hardly longer than clocks may be apart leaves no time in which its holder may be sure to send. */
export const LEASE_SKEWS_MIN = 1.5;

/** The longest lease that may be configured. One that ends later is nobody's: another clock wrote it, or somebody else. */
export const LEASE_MS_MAX = mostOf("leaseMs");

/** The longest dedupe memory that may be configured. */
export const DEDUPE_MS_MAX = 90 * 24 * HOUR;

/** The longest time in which messages may gather. */
export const WINDOW_MS_MAX = 7 * 24 * HOUR;

/** Less than this nobody needs to announce; a responder that says so again and again would be asked without a pause. */
export const LATER_MS_MIN = 1 * SECOND;

/** The longest that a responder may say it needs. */
export const LATER_MS_MAX = 7 * 24 * HOUR;

/** The longest pause that an error's own `retryAfterMs` may ask for. What was read from a header is shorter: `RETRY_AFTER_HEADER_MS_MAX`. */
export const RETRY_AFTER_MS_MAX = 7 * 24 * HOUR;

/** Longer than any window, pause or awaited answer: nobody of us waits for a time that is further off. */
export const WAIT_MS_MAX = 8 * 24 * HOUR;

/**
 * Of how many turns, and of how many dead letters, the provider's ids are left out when a lost send is looked for: of each all of them, however
 * many messages its reply was sent as. More than fit into the time that clocks may be apart.
 */
export const RECENT_TURNS = 50;

/** Less than this is no clock that was set back: requests carry the time at which they were asked, and may have waited. */
export const CLOCK_SET_BACK_MS_MIN = 15 * SECOND;

/** A body from which less than this came in each second of `BODY_PATIENCE_MS` is given up. A phone in a lift is faster. */
export const BODY_BYTES_PER_SECOND_MIN = 1_000;
export const BODY_PATIENCE_MS = 3 * SECOND;

/** What a body that is being read costs besides its bytes: a connection, its parser, its listeners. */
export const OPEN_BODY_BYTES = 8_000;

/** What a provider's webhook has at most, far above what a message with ten media and a filled-in form takes. When there is no room, such a body gets that of an older one; a larger one is given up. */
export const SMALL_BODY_BYTES_MAX = 65_536;

/** Status callbacks in the air at once, as a share of the webhooks that may be. Three come for each reply. */
export const STATUS_SHARE = 1 / 10;

/** Requests of the API in the air at once: a page of a console makes a handful. */
export const API_REQUESTS_MAX = 100;

/** Questions whether we are ready. Whoever balances loads asks every few seconds. */
export const OTHER_REQUESTS_MAX = 20;

/** Bytes of all answers that their callers have yet to read: past that the oldest goes. A feed has a tenth of a megabyte, and is read in a moment. */
export const ANSWERS_BYTES_MAX = 8_000_000;

/** How long an answer may wait for a caller who does not read it, and how fast it has to be read beyond that. */
export const ANSWER_PATIENCE_MS = 20 * SECOND;
export const ANSWER_BYTES_PER_SECOND_MIN = 10_000;

/** Media of one reply: what providers take with one message. */
export const REPLY_MEDIA_MAX = 10;

/**
 * Refusals that are written down in a minute of all those together who prove nothing: enough to see what they look like. How many there were
 * stands in the log; a row for each would push out those of people whom somebody may ask about.
 */
export const STRANGERS_REFUSALS_PER_MINUTE_MAX = 60;

/** How long a refusal is kept: long enough for somebody to ask why there was no answer. It names who wrote, so a shorter retention counts for it, too. */
const REFUSALS_KEPT_MS = 30 * 24 * HOUR;

export function refusalsKeptMs({ retentionMs }: Pick<Settings, "retentionMs">): number {
  return retentionMs === 0 ? REFUSALS_KEPT_MS : Math.min(retentionMs, REFUSALS_KEPT_MS);
}

/** And how many, where they can be counted. */
export const REFUSALS_KEPT_MAX = 100_000;

/** Characters of a text that the web channel takes in: more than anybody types, and a hundred times less than a body may hold. */
export const WEB_TEXT_LENGTH_MAX = 8_000;

/** Characters of the address of a medium. */
export const URL_LENGTH_MAX = 2_000;

/** Characters of a name that somebody gives us: a sender, an address, an id of their own. */
export const NAME_LENGTH_MAX = 1_000;

/** Bytes of the data of one's own that a conversation carries: it is read and written with every turn. */
export const ATTRIBUTES_BYTES_MAX = 64_000;

/** A conversation shown whole: of each of its lists the latest so many rows, and as many of them as fit. */
export const DETAIL_LIMITS = { rowsMax: 500, bytesMax: 4_000_000 };

/** The same for a visitor's page, which asks once a second. */
export const FEED_LIMITS = {
  rowsMax: 200,
  bytesMax: 128_000,
  waiting: { rowsMax: 500, bytesMax: 1_000_000 },
};

/** The same for whoever speaks for the assistant: on which channel the person wrote last, and whether too much waits. */
export const SAYING_LIMITS = { rowsMax: 200, bytesMax: 128_000 };
/** How often one visitor may ask, with some pages open at once. A feed costs some milliseconds of what everybody shares. */
export const FEEDS_PER_MINUTE_MAX = 300;

/** Characters of a reason that people read: why a turn failed, why a conversation was handed over. */
export const REASON_LENGTH_MAX = 1_000;

/**
 * How long a process may go without a turn of its event loop before it is ended. Well above what a busy machine, a large heap or a
 * hasty synchronous call costs, and below the 15 s after which providers take a webhook for failed.
 */
export const HUNG_MS = 10 * SECOND;

/** Fills in what was left out and keeps dependent limits consistent. */
export function settingsWith(given: Partial<Settings>): Settings {
  const settings = { ...DEFAULTS, ...given };
  const leaseMs = Math.min(Math.max(settings.leaseMs, settings.clockSkewMs * LEASE_SKEWS_MIN), LEASE_MS_MAX);
  return {
    ...settings,
    leaseMs,
    renewMs: given.renewMs ?? leaseMs / 3,
    sendTimeoutMs: Math.min(settings.sendTimeoutMs, leaseMs / SEND_TIMEOUT_SHARE),
    dedupeMs: Math.min(settings.dedupeMs, DEDUPE_MS_MAX),
  };
}
