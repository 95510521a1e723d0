import { LIMIT_DEFAULTS, mostOf, SECONDS_MAX } from "../model/limits.ts";
import { DEFAULT_PROJECT, type ProjectRule } from "../model/project.ts";
import {
  CHOICES,
  type GivenSettings,
  type OwnSettings,
  PROJECT_CHOICES,
  PROJECT_LIMITS,
  type Settings,
} from "../model/settings.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Every default; those of the limits are in their table. Each number here has a test at its limit. */
export const DEFAULTS: Omit<GivenSettings, "renewMs"> = {
  ...LIMIT_DEFAULTS,
  channels: {},
  window: { kind: "fixed", lengthMs: 10 * SECOND },
  whileBusy: CHOICES.whileBusy[0],
  admission: CHOICES.admission[0],
  validation: CHOICES.validation[0],
  onUnknown: CHOICES.onUnknown[0],
  projects: {},
  busyText: "I was still answering and did not read this message. Please send it again.",
  honourStatus: false,
  mirrorMessages: 0,
  clockSkewMs: 0,
  holdMs: 60 * SECOND,
  sweepRowsMax: 1_000,
  bringsHistory: false,
};

/** The most messages that are also kept in a conversation's row: all of it has 400 KB. */
export const MIRROR_MESSAGES_MAX = 1_000;

/** How soon a conversation that another system processes is looked at again, at first. */
export const ELSEWHERE_LOOK_MS_MIN = 2 * SECOND;

/**
 * The longest between two looks at what is held for a paused project. Resuming it wakes what is held: these
 * looks only find what a crash left held.
 */
export const PROJECT_HOLD_MS_MAX = 1 * HOUR;

/** The most that a take brings along of a conversation's history: others wait while it is read. */
export const BROUGHT_BYTES_MAX = 16_000;

/** Without a `maxSeconds` of its own, a quiet window closes after at most this many quiet times. */
export const QUIET_MAX_FACTOR = 5;

/** `sendTimeoutMs` is at most the lease divided by this, or an open request could outlive its lease. */
const SEND_TIMEOUT_SHARE = 3;

/** A lease must be this many times the clock skew, or its holder would have no time to send safely. */
const LEASE_SKEWS_MIN = 1.5;

/** The longest lease that may be configured. One that ends later is a wrong clock's or foreign. */
export const LEASE_MS_MAX = mostOf("leaseMs");

/** The longest time in which messages may gather. */
export const WINDOW_MS_MAX = SECONDS_MAX * SECOND;

/** The shortest delay of a late answer: a responder that says "at once" is asked without a pause. */
export const LATER_MS_MIN = 1 * SECOND;

/** The longest delay that a responder may announce for a late answer. */
export const LATER_MS_MAX = SECONDS_MAX * SECOND;

/**
 * An id is remembered for up to this longer than configured: if its message leaves within that time after it
 * was staged, it need not be written once more.
 */
export const REMEMBERED_LONGER_MS = 600_000;

/** How long a provider may still report what became of a send. */
export const DELIVERIES_KEPT_MS = 7 * 24 * HOUR;

/** What is known of a send is about a customer: a shorter retention applies to it, too. */
export function deliveriesKeptMs({ retentionMs }: Pick<Settings, "retentionMs">): number {
  return retentionMs === 0 ? DELIVERIES_KEPT_MS : Math.min(retentionMs, DELIVERIES_KEPT_MS);
}

/** The longest `retryAfterMs` of an error. A header's is shorter: `RETRY_AFTER_HEADER_MS_MAX`. */
export const RETRY_AFTER_MS_MAX = 7 * 24 * HOUR;

/** Longer than any window, pause or awaited answer: Lull never waits for a time that is further off. */
export const WAIT_MS_MAX = 8 * 24 * HOUR;

/**
 * When a lost send is looked for, provider ids of this many turns, and of as many dead letters, are left out:
 * of each all ids, however many messages its reply was sent as. These are more turns than fit into the time
 * that clocks may be apart.
 */
export const RECENT_TURNS = 50;

/** A smaller step is no clock that was set back: a request carries its own time, and may have waited. */
export const CLOCK_SET_BACK_MS_MIN = 15 * SECOND;

/**
 * The largest body of a provider's webhook. When there is no room, a body up to this size displaces an older
 * one; a larger one is given up.
 */
export const SMALL_BODY_BYTES_MAX = 65_536;

/** Media of one reply: as many as providers take with one message. */
export const REPLY_MEDIA_MAX = 10;

/**
 * Refusals that are recorded per minute of all unauthenticated callers together: enough to see what they look
 * like. The log counts them all; a row for each would push out refusals of customers, about which an operator
 * may ask.
 */
export const UNSIGNED_REFUSALS_PER_MINUTE_MAX = 60;

/**
 * How long a refusal is kept: long enough for a customer to ask why no answer came. It names the sender, so a
 * shorter retention applies to it, too.
 */
const REFUSALS_KEPT_MS = 30 * 24 * HOUR;

export function refusalsKeptMs({ retentionMs }: Pick<Settings, "retentionMs">): number {
  return retentionMs === 0 ? REFUSALS_KEPT_MS : Math.min(retentionMs, REFUSALS_KEPT_MS);
}

/** What was said before that time is past its retention. */
export function keptSinceMs({ retentionMs }: Pick<Settings, "retentionMs">, nowMs: number): number {
  return retentionMs === 0 ? Number.NEGATIVE_INFINITY : nowMs - retentionMs;
}

/**
 * Ids are kept this much longer than is promised: a list of all that a provider received within the memory is
 * read and staged while time goes by, and its times are the provider's.
 */
export const MEMORY_MARGIN_MS = 15 * 60 * SECOND;

/** The most refusals that are kept, where the engine can count them. */
export const REFUSALS_KEPT_MAX = 100_000;

/** Characters of a text on the web channel: more than a visitor types, far fewer than a body holds. */
export const WEB_TEXT_LENGTH_MAX = 8_000;

/** Characters of the address of a medium. */
export const URL_LENGTH_MAX = 2_000;

/** Bytes of a conversation's custom attributes: they are read and written with every turn. */
export const ATTRIBUTES_BYTES_MAX = 64_000;

/** A conversation shown whole: the latest rows of each of its lists, up to this many rows and bytes. */
export const DETAIL_LIMITS = { rowsMax: 500, bytesMax: 4_000_000 };

/** The same for a visitor's page, which asks once a second. */
export const FEED_LIMITS = {
  rowsMax: 200,
  bytesMax: 128_000,
  waiting: { rowsMax: 500, bytesMax: 1_000_000 },
  unansweredMax: 5,
};

/** The same for an operator's message: the customer's last channel, and whether too much waits. */
export const SAYING_LIMITS = { rowsMax: 200, bytesMax: 128_000 };

/** Characters of a reason that people read: why a turn failed, why a conversation was handed off. */
export const REASON_LENGTH_MAX = 1_000;

/**
 * How long a process may go without a turn of its event loop before it is ended. Well above what a busy
 * machine, a large heap or a slow synchronous call costs, and below the 15 s after which providers take a
 * webhook for failed.
 */
export const HUNG_MS = 10 * SECOND;

/** Fills in what was left out and keeps dependent limits consistent. */
export function settingsWith(given: Partial<GivenSettings>): Settings {
  const { projects, ...all } = { ...DEFAULTS, ...given };
  const { own: forAll, rest: settings } = apart(all);
  const leaseMs = Math.min(Math.max(settings.leaseMs, settings.clockSkewMs * LEASE_SKEWS_MIN), LEASE_MS_MAX);
  return {
    ...settings,
    leaseMs,
    renewMs: given.renewMs ?? leaseMs / 3,
    sendTimeoutMs: Math.min(settings.sendTimeoutMs, leaseMs / SEND_TIMEOUT_SHARE),
    ...perProject(projects, forAll),
  };
}

const OWN_NAMES: ReadonlySet<string> = new Set<keyof OwnSettings>([
  ...PROJECT_LIMITS,
  ...PROJECT_CHOICES,
  "busyText",
  "failureText",
]);

/** What a project may set itself, and the rest. */
function apart<T extends OwnSettings>(all: T): { own: OwnSettings; rest: Omit<T, keyof OwnSettings> } {
  const [own = [], rest = []] = [true, false].map((isOwn) =>
    Object.entries(all).filter(([name]) => OWN_NAMES.has(name) === isOwn),
  );
  return {
    own: Object.fromEntries(own) as unknown as OwnSettings,
    rest: Object.fromEntries(rest) as Omit<T, keyof OwnSettings>,
  };
}

function perProject(
  given: GivenSettings["projects"],
  forAll: OwnSettings,
): Pick<Settings, "projects" | "own"> {
  const projects: Record<string, ProjectRule> = {};
  const own: Record<string, OwnSettings> = { [DEFAULT_PROJECT]: forAll };
  for (const [name, { own: theirs, ...rule }] of Object.entries(given)) {
    projects[name] = rule;
    own[name] = { ...forAll, ...theirs };
  }
  return { projects, own };
}
