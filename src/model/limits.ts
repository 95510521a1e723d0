/** How many ms a public unit of time has: inside, all are in ms. The others are the same on both sides. */
export const UNITS = {
  seconds: 1_000,
  hours: 3_600_000,
  days: 86_400_000,
  messages: 1,
  bytes: 1,
  times: 1,
} as const;

/** A number that may be set: checks, help and documentation follow from its row in `LIMITS`. */
export interface Limit {
  /** Its name in `limits`, if that differs: public settings speak seconds, hours and days. */
  readonly key?: string;
  readonly unit: keyof typeof UNITS;
  readonly min: number;
  /** In its unit, like `min`. Help and docs say it, unless it is the week of all times. */
  readonly max?: number;
  /** In its unit, unless the engine has a default of its own. */
  readonly default: number;
  readonly flag?: string;
  /** For the command line and, as Markdown, for the docs. */
  readonly help: string;
  /** What the docs add to `help`. */
  readonly more?: string;
}

/** A week: a longer time is a typing error, and soon beyond what a date can hold. */
export const SECONDS_MAX = 604_800;
const SECONDS = { unit: "seconds", min: 0, max: SECONDS_MAX } as const;
/** For leases, timeouts and polling: zero would leave no time to work, or work without a pause. */
const PERIOD = { ...SECONDS, min: 0.1 } as const;
const MESSAGES = { unit: "messages", min: 1 } as const;
const BYTES = { unit: "bytes", min: 1 } as const;
const TIMES = { unit: "times", min: 1 } as const;

/**
 * The one table of limits, by their names in the code. Types, checks, keys of the file, variables, flags,
 * `lull config`, help and docs/configuration.md are made from it.
 */
export const LIMITS = {
  concurrency: {
    ...TIMES,
    default: 50,
    flag: "concurrency",
    help: "turns at once, per worker",
  },
  leaseMs: {
    ...PERIOD,
    key: "leaseSeconds",
    // A longer lease would not count as held: `LEASE_MS_MAX`.
    max: 86_400,
    default: 60,
    flag: "lease",
    help: "how long a silent worker keeps a conversation",
  },
  /** Tries that may end with the process or with an unclassified error. */
  attemptsMax: {
    ...TIMES,
    default: 5,
    flag: "attempts",
    help: "crashes and unexplained failures before a turn becomes a dead letter",
  },
  /** From the first failure on. */
  retryForMs: {
    ...SECONDS,
    key: "retryForSeconds",
    default: 1_800,
    flag: "retry-for",
    help: "how long an outage of the responder or the provider is waited out",
  },
  answerTimeoutMs: {
    ...PERIOD,
    key: "answerTimeoutSeconds",
    default: 120,
    flag: "answer-timeout",
    help: "how long the responder may take",
  },
  failureTextAfterMs: {
    ...SECONDS,
    key: "failureTextAfterSeconds",
    default: 60,
    help: "with `failureText`: how late a turn is that the customer is told of, once a try of it failed",
    more: "; one that fails for good is told at once",
  },
  sendTimeoutMs: {
    ...PERIOD,
    key: "sendTimeoutSeconds",
    default: 15,
    flag: "send-timeout",
    help: "how long one send may take; a third of the lease at most",
  },
  /** Counted from the send's deadline, or from its sender's death. A channel may have its own. */
  settleMs: {
    ...SECONDS,
    key: "settleSeconds",
    default: 30,
    flag: "settle",
    help: "how long a lost send may still be inside the provider before it counts as not sent",
  },
  /** Twilio stops listening after 15 seconds. */
  receiveTimeoutMs: {
    ...PERIOD,
    key: "receiveTimeoutSeconds",
    default: 10,
    help: "how long a webhook may take before its provider is told to come back",
  },
  sweepMs: { ...PERIOD, key: "sweepSeconds", default: 5, help: "how often stranded work is looked for" },
  graceMs: {
    ...SECONDS,
    key: "graceSeconds",
    default: 5,
    help: "how late a window may be before it counts as stranded",
  },
  backoffMs: {
    ...SECONDS,
    key: "backoffSeconds",
    default: 1,
    help: "first pause after a failed turn; the next ones are about twice as long each",
  },
  backoffMsMax: {
    ...SECONDS,
    key: "backoffSecondsMax",
    default: 60,
    help: "longest pause after a failed turn, give or take half; a Retry-After may ask for more",
  },
  stagedMessagesMax: {
    ...MESSAGES,
    default: 2_000,
    help: "messages that may wait in one conversation; beyond that they are refused",
    more: " (429) and the customer is told once",
  },
  stagedBytesMax: {
    ...BYTES,
    default: 8_000_000,
    help: "bytes of text that may wait in one conversation; beyond that messages are refused",
  },
  batchMessagesMax: { ...MESSAGES, default: 500, help: "messages in one turn" },
  batchBytesMax: {
    ...BYTES,
    default: 100_000,
    help: "bytes of text in one turn",
    more: "; the larger a turn may be, the longer its commit keeps others waiting",
  },
  dedupeMs: {
    unit: "hours",
    min: 0,
    // Ninety days.
    max: 2_160,
    key: "dedupeHours",
    default: 168,
    help: "how long message ids are remembered, so that one that comes again is recognised",
    more: ". About 31 bytes each in a SQLite file",
  },
  /** Texts, and addresses and names of media. A draft is one item, and DynamoDB's limit is 400 KB. */
  replyBytesMax: {
    ...BYTES,
    max: 256_000,
    default: 64_000,
    help:
      "bytes of one reply: its texts, and the addresses of its media; " + "beyond that it is a dead letter",
  },
  replyMessagesMax: {
    ...MESSAGES,
    max: 200,
    default: 50,
    help: "messages that one reply is sent as; beyond that it is a dead letter",
  },
  historyMessagesMax: {
    ...MESSAGES,
    default: 50,
    help: "earlier messages that the responder is given",
  },
  historyBytesMax: {
    ...BYTES,
    default: 256_000,
    help:
      "bytes of earlier messages, as they are stored, that the responder is given; " +
      "the latest always comes",
  },
  restartsMax: {
    ...TIMES,
    min: 0,
    default: 2,
    help: "restarts of one turn under `whileBusy: restart`",
  },
  /** Counted from our first look that found it, and anew when the record is changed. */
  honourStatusForMs: {
    ...SECONDS,
    key: "honourStatusSeconds",
    default: 600,
    help: "with `honourStatus`: how long another system's `processing_reply` puts a turn off",
    more: "; after that it counts as left behind, and the turn starts",
  },
  /**
   * Counted from the first look that put the turn off, whatever the other system did meanwhile, and over all
   * tries of the turn together.
   */
  honourStatusForMsMax: {
    ...SECONDS,
    key: "honourStatusSecondsMax",
    default: 3_600,
    help: "with `honourStatus`: how long one turn is put off at most",
    more: ", also where the other system changes the record again and again",
  },
  restartPollMs: {
    ...PERIOD,
    key: "restartPollSeconds",
    default: 1,
    help: "how often a turn looks for newer messages",
    more: " then",
  },
  pollMs: {
    ...PERIOD,
    key: "pollSeconds",
    default: 0.1,
    help: "how often a worker looks for windows that other processes armed",
  },
  bodyBytesMax: {
    ...BYTES,
    default: 1_000_000,
    help: "bytes of one request, where its channel has no limit of its own",
    more: " (`bodyBytesMax`: Twilio and WATI 65536, web 96000, which follows its `textLengthMax`)",
  },
  bodyTimeoutMs: {
    ...PERIOD,
    key: "bodyTimeoutSeconds",
    default: 20,
    help: "how long a body may take to come",
    more: "; one from which less than 1,000 bytes come in each of three seconds is given up before",
  },
  /** Bodies that are being read, or whose requests are not over. */
  readingBytesMax: {
    ...BYTES,
    default: 16_000_000,
    help: "bytes of all bodies that are being read, per worker; beyond that the oldest is given up",
    more:
      ", and those above 64 KB are not taken (429). A body counts until its request is over. " +
      "At least twice the largest body. Bodies of `/api`, whose callers are known, have as much again",
  },
  requestsMax: {
    ...TIMES,
    default: 5_000,
    help: "webhooks in the air at once, per worker",
    more: ", counted once their body is there; status callbacks have a tenth as many places of their own",
  },
  feedRequestsMax: {
    ...TIMES,
    default: 30,
    help: "feeds of visitors in the air at once, per worker",
    more: "; the phone page asks again a second later",
  },
  connectionsMax: {
    ...TIMES,
    default: 6_000,
    help:
      "open connections, per worker; " +
      "beyond that the one that was not used for the longest time is closed",
    more: ". Each carries one request at a time",
  },
  senderPerMinuteMax: {
    ...MESSAGES,
    min: 0,
    default: 0,
    help: "messages per sender and minute; `0`: no limit",
    more:
      ". Beyond that 429 until there is room; " +
      "a payload of more than that is taken when nothing else was for a minute",
  },
  visitorPerMinuteMax: {
    ...MESSAGES,
    min: 0,
    default: 120,
    help: "the same for visitors of a web channel, signed or not, where there is none for all; `0`: no limit",
  },
  retentionMs: {
    unit: "days",
    min: 0,
    // A hundred years: more is a typing error.
    max: 36_500,
    key: "retentionDays",
    default: 0,
    flag: "retention",
    help: "how long committed messages are kept; `0`: for good",
    more: ". Refusals, which name who wrote, go after as long, and after 30 days in any case",
  },
} as const satisfies Readonly<Record<string, Limit>>;

type Limits = typeof LIMITS;
export type LimitName = keyof Limits;

/** The limits as decisions read them: times in ms. */
export type LimitSettings = { readonly [Name in LimitName]: number };

/** What a row says of its public name: a type that is written for editors to show is held against it. */
export type PublicLimits = {
  readonly [Name in LimitName as Limits[Name] extends { readonly key: infer Key extends string }
    ? Key
    : Name]?: number;
};

export const LIMIT_ROWS = Object.entries(LIMITS) as [LimitName, Limit][];

export function publicName(name: LimitName): keyof PublicLimits {
  const limit: Limit = LIMITS[name];
  return (limit.key ?? name) as keyof PublicLimits;
}

export const LIMIT_DEFAULTS = Object.fromEntries(
  LIMIT_ROWS.map(([name, limit]) => [name, inOwnUnits(limit, limit.default)]),
) as LimitSettings;

/** The highest value that may be set, in the units of the code. */
export function mostOf(name: LimitName): number {
  const limit: Limit = LIMITS[name];
  return inOwnUnits(limit, limit.max ?? Number.MAX_SAFE_INTEGER);
}

/** From the code's unit to the public one: `dedupeMs` to hours. */
export function inPublicUnits(name: LimitName, value: number): number {
  return value / UNITS[LIMITS[name].unit];
}

/** From the public unit to that of the code. */
export function inOwnUnits({ unit }: Limit, value: number): number {
  return UNITS[unit] === 1 ? value : Math.round(value * UNITS[unit]);
}
