import {
  DEFAULTS,
  HUNG_MS,
  QUIET_MAX_FACTOR,
  REPLY_BYTES_MOST,
  REPLY_MESSAGES_MOST,
} from "../core/defaults.ts";
import {
  COUNT,
  COUNT_OR_NONE,
  choice,
  countUpTo,
  type Knob,
  LEASE,
  PERIOD,
  PORT,
  SECONDS,
  SECRET,
  TEXT,
  URL_KIND,
  WORKERS,
  YES_NO,
} from "./knob.ts";

/** Where the service listens and how it runs. */
const SERVICE: readonly Knob[] = [
  {
    key: "port",
    env: "PORT",
    flag: "port",
    kind: PORT,
    fallback: 8080,
    help: "port to listen on; 0 takes a free one",
  },
  {
    key: "host",
    env: "LULL_HOST",
    flag: "host",
    kind: TEXT,
    fallback: "127.0.0.1",
    help: "address to listen on",
  },
  {
    key: "engine",
    env: "LULL_ENGINE",
    flag: "engine",
    kind: choice("sqlite", "aws"),
    fallback: "sqlite",
    help: "where everything durable is: sqlite (a file) or aws (DynamoDB and SQS)",
    orCode: true,
  },
  { key: "db", env: "LULL_DB", flag: "db", kind: TEXT, fallback: "data/lull.db", help: "the database file" },
  {
    key: "workers",
    env: "LULL_WORKERS",
    flag: "workers",
    kind: WORKERS,
    fallback: 1,
    help: "worker processes",
  },
  {
    key: "stopGraceSeconds",
    env: "LULL_STOP_GRACE_SECONDS",
    flag: "grace",
    kind: SECONDS,
    fallback: 25,
    help: "how long running turns may take to finish when the service stops",
  },
  {
    key: "hungSeconds",
    env: "LULL_HUNG_SECONDS",
    flag: "hung",
    kind: SECONDS,
    fallback: HUNG_MS / 1_000,
    help: "a process whose event loop stands still for this long is ended; 0: never",
  },
  {
    key: "logLevel",
    env: "LULL_LOG_LEVEL",
    flag: "log-level",
    kind: choice("debug", "info", "warn", "error"),
    fallback: "info",
    help: "debug, info, warn or error",
  },
  {
    key: "publicUrl",
    env: "LULL_PUBLIC_URL",
    flag: "public-url",
    kind: URL_KIND,
    help: "base of the URL that providers call",
  },
  {
    key: "apiToken",
    env: "LULL_API_TOKEN",
    kind: SECRET,
    help: "bearer token for /api; without one it answers on loopback only, and with a public URL not at all",
  },
  {
    key: "turnToken",
    env: "LULL_TURN_TOKEN",
    kind: SECRET,
    help: "another one, which may only answer turns",
  },
  {
    key: "web",
    env: "LULL_WEB",
    flag: "web",
    kind: YES_NO,
    help: "the phone page at / and its channel; on in dev",
  },
];

/** How messages gather and what happens around a turn. */
const TURNS: readonly Knob[] = [
  {
    key: "window.seconds",
    env: "LULL_WINDOW_SECONDS",
    flag: "window",
    kind: SECONDS,
    fallback: 10,
    help: "a turn starts this long after the first message",
  },
  {
    key: "window.quietSeconds",
    env: "LULL_WINDOW_QUIET_SECONDS",
    flag: "quiet",
    kind: SECONDS,
    help: "instead: when nobody wrote for this long",
  },
  {
    key: "window.maxSeconds",
    env: "LULL_WINDOW_MAX_SECONDS",
    flag: "max",
    kind: SECONDS,
    help: `with quiet: but after this long at the latest (${QUIET_MAX_FACTOR} × quiet)`,
  },
  {
    key: "whileBusy",
    env: "LULL_WHILE_BUSY",
    flag: "while-busy",
    kind: choice("queue", "restart", "reject"),
    fallback: DEFAULTS.whileBusy,
    help: "a message during a turn: queue, restart or reject",
  },
  {
    key: "busyText",
    env: "LULL_BUSY_TEXT",
    flag: "busy-text",
    kind: TEXT,
    help: "what a rejected customer is told",
  },
  {
    key: "admission",
    env: "LULL_ADMISSION",
    flag: "admission",
    kind: choice("open", "known"),
    fallback: DEFAULTS.admission,
    help: "open: anybody may write; known: the conversation must exist",
  },
  {
    key: "validation",
    env: "LULL_VALIDATION",
    flag: "validation",
    kind: choice("on-receipt", "on-turn"),
    fallback: DEFAULTS.validation,
    help: "when the rules are checked: on-receipt or on-turn",
  },
  {
    key: "onUnknown",
    env: "LULL_ON_UNKNOWN",
    flag: "on-unknown",
    kind: choice("hold", "resend", "assume-sent"),
    fallback: DEFAULTS.onUnknown,
    help: "a send with no known outcome: hold, resend or assume-sent",
  },
];

/** Numbers that few people change. Those with a name in the environment are the ones that operators asked for. */
const LIMITS: readonly Knob[] = [
  {
    key: "limits.concurrency",
    env: "LULL_CONCURRENCY",
    flag: "concurrency",
    kind: COUNT,
    fallback: DEFAULTS.concurrency,
    help: "turns at once, per worker",
  },
  {
    key: "limits.leaseSeconds",
    env: "LULL_LEASE_SECONDS",
    flag: "lease",
    kind: LEASE,
    fallback: DEFAULTS.leaseMs / 1_000,
    help: "how long a silent worker keeps a conversation; a day at most",
  },
  {
    key: "limits.attemptsMax",
    env: "LULL_ATTEMPTS_MAX",
    flag: "attempts",
    kind: COUNT,
    fallback: DEFAULTS.attemptsMax,
    help: "crashes and unexplained failures before a turn becomes a dead letter",
  },
  {
    key: "limits.answerTimeoutSeconds",
    env: "LULL_ANSWER_TIMEOUT_SECONDS",
    flag: "answer-timeout",
    kind: PERIOD,
    fallback: DEFAULTS.answerTimeoutMs / 1_000,
    help: "how long the responder may take",
  },
  {
    key: "limits.sendTimeoutSeconds",
    env: "LULL_SEND_TIMEOUT_SECONDS",
    flag: "send-timeout",
    kind: PERIOD,
    fallback: DEFAULTS.sendTimeoutMs / 1_000,
    help: "how long one send may take; a third of the lease at most",
  },
  {
    key: "limits.retryForSeconds",
    env: "LULL_RETRY_FOR_SECONDS",
    flag: "retry-for",
    kind: SECONDS,
    fallback: DEFAULTS.retryForMs / 1_000,
    help: "how long an outage of the responder or the provider is waited out",
  },
  {
    key: "limits.settleSeconds",
    env: "LULL_SETTLE_SECONDS",
    flag: "settle",
    kind: SECONDS,
    fallback: DEFAULTS.settleMs / 1_000,
    help: "how long a lost send may still be inside the provider before it counts as not sent",
  },
  limit(
    "receiveTimeoutSeconds",
    PERIOD,
    DEFAULTS.receiveTimeoutMs / 1_000,
    "how long a webhook may take before its provider is told to come back",
  ),
  limit("sweepSeconds", PERIOD, DEFAULTS.sweepMs / 1_000, "how often stranded work is looked for"),
  limit(
    "graceSeconds",
    SECONDS,
    DEFAULTS.graceMs / 1_000,
    "how late a window may be before it counts as stranded",
  ),
  {
    key: "limits.backoffSeconds",
    env: "LULL_BACKOFF_SECONDS",
    kind: SECONDS,
    fallback: DEFAULTS.backoffMs / 1_000,
    help: "first pause after a failed turn; the next ones are about twice as long each",
  },
  {
    key: "limits.backoffSecondsMax",
    env: "LULL_BACKOFF_SECONDS_MAX",
    kind: SECONDS,
    fallback: DEFAULTS.backoffMsMax / 1_000,
    help: "longest pause after a failed turn, give or take half; a Retry-After may ask for more",
  },
  limit(
    "stagedMessagesMax",
    COUNT,
    DEFAULTS.stagedMessagesMax,
    "messages that may wait in one conversation; beyond that they are refused",
  ),
  limit(
    "stagedBytesMax",
    COUNT,
    DEFAULTS.stagedBytesMax,
    "bytes of text that may wait in one conversation; beyond that messages are refused",
  ),
  limit("batchMessagesMax", COUNT, DEFAULTS.batchMessagesMax, "messages in one turn"),
  limit("batchBytesMax", COUNT, DEFAULTS.batchBytesMax, "bytes of text in one turn"),
  limit(
    "dedupeHours",
    SECONDS,
    DEFAULTS.dedupeMs / 3_600_000,
    "how long message ids are remembered; 168 at most",
  ),
  limit(
    "replyBytesMax",
    countUpTo(REPLY_BYTES_MOST),
    DEFAULTS.replyBytesMax,
    `bytes of one reply; beyond that it is a dead letter; ${REPLY_BYTES_MOST} at most`,
  ),
  limit(
    "replyMessagesMax",
    countUpTo(REPLY_MESSAGES_MOST),
    DEFAULTS.replyMessagesMax,
    `messages that one reply is sent as; beyond that it is a dead letter; ${REPLY_MESSAGES_MOST} at most`,
  ),
  limit(
    "historyMessagesMax",
    COUNT,
    DEFAULTS.historyMessagesMax,
    "earlier messages that the responder is given",
  ),
  limit(
    "historyBytesMax",
    COUNT,
    DEFAULTS.historyBytesMax,
    "bytes of earlier messages that the responder is given; the latest always comes",
  ),
  limit("restartsMax", COUNT_OR_NONE, DEFAULTS.restartsMax, "restarts of one turn under whileBusy: restart"),
  limit(
    "restartPollSeconds",
    PERIOD,
    DEFAULTS.restartPollMs / 1_000,
    "how often a turn looks for newer messages",
  ),
  limit("bodyBytesMax", COUNT, DEFAULTS.bodyBytesMax, "bytes of one webhook"),
  limit("requestsMax", COUNT, DEFAULTS.requestsMax, "requests in the air at once, per worker"),
  limit(
    "senderPerMinuteMax",
    COUNT_OR_NONE,
    DEFAULTS.senderPerMinuteMax,
    "messages per sender and minute; 0: no limit",
  ),
  limit(
    "retentionDays",
    SECONDS,
    DEFAULTS.retentionMs / 86_400_000,
    "how long messages are kept; 0: for good",
  ),
];

function limit(name: string, kind: Knob["kind"], fallback: number, help: string): Knob {
  return { key: `limits.${name}`, kind, fallback, help };
}

/** Providers and models, as their own tools name them. */
const PROVIDERS: readonly Knob[] = [
  provider("twilio.accountSid", "TWILIO_ACCOUNT_SID", TEXT, "Twilio account"),
  provider(
    "twilio.authToken",
    "TWILIO_AUTH_TOKEN",
    SECRET,
    "Twilio auth token: signs webhooks, sends replies",
  ),
  provider("twilio.apiUrl", "TWILIO_API_URL", URL_KIND, "Twilio's API, where it is not Twilio's own"),
  provider(
    "twilio.whatsappFrom",
    "TWILIO_WHATSAPP_FROM",
    TEXT,
    "your WhatsApp number: turns channel `whatsapp` on",
  ),
  provider("twilio.smsFrom", "TWILIO_SMS_FROM", TEXT, "your SMS number: turns channel `sms` on"),
  provider("wati.apiUrl", "WATI_API_URL", URL_KIND, "your WATI endpoint: turns channel `wati` on"),
  provider("wati.token", "WATI_TOKEN", SECRET, "WATI access token"),
  provider(
    "wati.webhookSecret",
    "WATI_WEBHOOK_SECRET",
    SECRET,
    "the secret in your WATI webhook's URL or header",
  ),
  provider("webSecret", "LULL_WEB_SECRET", SECRET, "visitors of channel `web` prove with it who they are"),
  provider("webUnsigned", "LULL_WEB_UNSIGNED", YES_NO, "they need not, though the service is public"),
  provider("openai.apiKey", "OPENAI_API_KEY", SECRET, "answers come from OpenAI instead of the echo"),
  provider("openai.baseUrl", "OPENAI_BASE_URL", URL_KIND, "a service that speaks OpenAI's Responses API"),
  provider("openai.model", "OPENAI_MODEL", TEXT, "the model"),
  provider(
    "aiQueue",
    "LULL_AI_QUEUE",
    URL_KIND,
    "turns are handed to this SQS queue, and nothing is replied",
  ),
  provider(
    "handOffQueue",
    "LULL_HANDOFF_QUEUE",
    URL_KIND,
    "turns of conversations that a human has go to this SQS queue",
  ),
  provider("openai.instructions", "LULL_INSTRUCTIONS", TEXT, "who the assistant is and what it may do"),
];

function provider(key: string, env: string, kind: Knob["kind"], help: string): Knob {
  return { key, env, kind, help, notInFile: true };
}

/** Everything that can be set, in the order in which people read it. */
export const KNOBS: readonly Knob[] = [...SERVICE, ...TURNS, ...LIMITS, ...PROVIDERS];
