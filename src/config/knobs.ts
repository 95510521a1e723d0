import { DEFAULTS, HUNG_MS, MIRROR_MESSAGES_MAX, QUIET_MAX_FACTOR } from "../core/defaults.ts";
import { LIMITS, type Limit, type LimitName, publicName, SECONDS_MAX } from "../model/limits.ts";
import { CHOICES } from "../model/settings.ts";
import { ALIASES } from "../schema/aliases.ts";
import { mostInWords, SECONDS, schemaOf } from "../schema/limits.ts";
import { number, oneOf, whole } from "../schema/schema.ts";
import {
  ENDPOINT_URL,
  PORT,
  PUBLIC_URL,
  SECRET,
  TEXT,
  URL_KIND,
  WORKERS,
  WORKERS_MAX,
  YES_NO,
} from "./kinds.ts";
import type { Knob } from "./knob.ts";
import { limitVariable } from "./limit-variable.ts";

/** Where the service listens and how it runs. */
const SERVICE: readonly Knob[] = [
  {
    key: "port",
    env: "PORT",
    flag: "port",
    kind: PORT,
    default: 8080,
    help: "port to listen on; `0` takes a free one",
  },
  {
    key: "host",
    env: "LULL_HOST",
    flag: "host",
    kind: TEXT,
    default: "127.0.0.1",
    help: "address to listen on",
  },
  {
    key: "engine",
    env: "LULL_ENGINE",
    flag: "engine",
    kind: oneOf("sqlite", "aws"),
    default: "sqlite",
    help:
      "where everything durable is: `sqlite` (a file on this machine) or `aws` (DynamoDB and SQS, " +
      "any number of machines)",
    more: "; a module may bring an engine object",
    orCode: "open",
  },
  {
    key: "db",
    env: "LULL_DB",
    flag: "db",
    kind: TEXT,
    default: "data/lull.db",
    help: "the database file",
    more: ", made at the first start",
  },
  {
    key: "workers",
    env: "LULL_WORKERS",
    flag: "workers",
    kind: WORKERS,
    default: 1,
    help: "worker processes",
    more: mostInWords({ max: WORKERS_MAX }),
  },
  {
    key: "stopGraceSeconds",
    env: "LULL_STOP_GRACE_SECONDS",
    flag: "grace",
    kind: SECONDS,
    default: 25,
    help: "how long running turns may take to finish when the service stops",
  },
  {
    key: "hungSeconds",
    env: "LULL_HUNG_SECONDS",
    flag: "hung",
    kind: SECONDS,
    default: HUNG_MS / 1_000,
    help: "a process whose event loop stands still for this long is ended; `0`: never",
    more:
      ". Under `lull start` it is [replaced](operating.md#workers). " +
      "Well above anything that your code computes in one go",
  },
  {
    key: "logLevel",
    env: "LULL_LOG_LEVEL",
    flag: "log-level",
    kind: oneOf("debug", "info", "warn", "error"),
    default: "info",
    help: "`debug`, `info`, `warn` or `error`",
  },
  {
    key: "logFormat",
    env: "LULL_LOG_FORMAT",
    flag: "log-format",
    kind: oneOf("pretty", "json"),
    otherwise: "`pretty` on a terminal, else `json`",
    help: "how the log is written: `pretty` for a person, or `json`, one object a line",
  },
  {
    key: "publicUrl",
    env: "LULL_PUBLIC_URL",
    flag: "public-url",
    kind: PUBLIC_URL,
    help: "base of the URL that providers call",
    more:
      "; path and query are appended. It may name a user and a password, which no command shows; " +
      "it has no query, no `#` and no `/webhooks/...`, which is added to it",
  },
  {
    key: "aliases",
    env: "LULL_ALIASES",
    kind: ALIASES,
    help: "other paths of webhooks, each with its channel: `/webhook=wati, /sms=sms`",
    more: '; in a file `{ "/webhook": "wati" }`. Each is served like `/webhooks/<channel>`',
  },
  {
    key: "apiToken",
    env: "LULL_API_TOKEN",
    kind: SECRET,
    help:
      "bearer token for `/api`; without one it answers on loopback only, " +
      "and with a public URL not at all",
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
    otherwise: "on in `dev`",
    help: "the phone page at `/` and its channel `web`",
  },
];

/** How messages gather and what happens around a turn. */
const TURNS: readonly Knob[] = [
  {
    key: "window.seconds",
    env: "LULL_WINDOW_SECONDS",
    flag: "window",
    kind: SECONDS,
    default: 10,
    help: "a turn starts this long after the first message",
    more: "; fractions are fine",
  },
  {
    key: "window.quietSeconds",
    env: "LULL_WINDOW_QUIET_SECONDS",
    flag: "quiet",
    kind: SECONDS,
    help: "instead: when the customer has been quiet for this long",
  },
  {
    key: "window.maxSeconds",
    env: "LULL_WINDOW_MAX_SECONDS",
    flag: "max",
    kind: SECONDS,
    otherwise: `${QUIET_MAX_FACTOR} × quiet`,
    help: "with a quiet time: but after this long at the latest",
  },
  {
    ...chosen("whileBusy", "LULL_WHILE_BUSY", "while-busy"),
    help: "a message during a turn: `queue` (its own turn), `restart` (joins this one) or `reject` (is told)",
  },
  {
    key: "busyText",
    env: "LULL_BUSY_TEXT",
    flag: "busy-text",
    kind: TEXT,
    otherwise: "a polite line",
    help: "what a rejected customer is told",
  },
  {
    key: "failureText",
    env: "LULL_FAILURE_TEXT",
    flag: "failure-text",
    kind: TEXT,
    otherwise: "nothing",
    help: "what a customer is told, once, whose answer is late or will not come",
  },
  {
    ...chosen("admission", "LULL_ADMISSION", "admission"),
    help: "`open`: every customer may write; `known`: the conversation must exist",
  },
  {
    ...chosen("validation", "LULL_VALIDATION", "validation"),
    help: "when the rules are checked: `on-receipt` or `on-turn`",
  },
  {
    ...chosen("onUnknown", "LULL_ON_UNKNOWN", "on-unknown"),
    help: "a send with no known outcome: `hold`, `resend` or `assume-sent`",
  },
  {
    key: "honourStatus",
    env: "LULL_HONOUR_STATUS",
    kind: YES_NO,
    default: DEFAULTS.honourStatus,
    help:
      "a conversation that [another system processes](aws.md#side-by-side) is left to it, " +
      "until it is done",
  },
  {
    key: "mirrorMessages",
    env: "LULL_MIRROR_MESSAGES",
    kind: whole({ minimum: 0, maximum: MIRROR_MESSAGES_MAX }),
    default: DEFAULTS.mirrorMessages,
    help:
      "on AWS: how many of the newest messages are [also kept in the conversation's row]" +
      "(aws.md#messages-in-the-row), for others who read it; `0`: none" +
      mostInWords({ max: MIRROR_MESSAGES_MAX }),
  },
];

function chosen(key: keyof typeof CHOICES, env: string, flag: string): Omit<Knob, "help"> {
  return { key, env, flag, kind: oneOf(...CHOICES[key]), default: DEFAULTS[key] };
}

/** Numbers that few people change: rows of the one table of limits. */
const NUMBERS: readonly Knob[] = (Object.entries(LIMITS) as [LimitName, Limit][]).map(([name, limit]) => ({
  ...limit,
  key: `limits.${publicName(name)}`,
  env: limitVariable(name),
  kind: schemaOf(limit),
  help: limit.help + mostInWords(limit),
  limit: name,
}));

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
  provider("wati.numbers", "WATI_NUMBERS", TEXT, "your numbers at WATI, where Twilio brings WhatsApp too"),
  provider("webSecret", "LULL_WEB_SECRET", SECRET, "visitors of channel `web` prove with it who they are"),
  provider("webUnsigned", "LULL_WEB_UNSIGNED", YES_NO, "they need not, though the service is public"),
  provider("openai.apiKey", "OPENAI_API_KEY", SECRET, "answers come from OpenAI instead of the echo"),
  provider("openai.baseUrl", "OPENAI_BASE_URL", ENDPOINT_URL, "a service that speaks OpenAI's Responses API"),
  provider("openai.model", "OPENAI_MODEL", TEXT, "the model"),
  provider(
    "openai.past",
    "LULL_OPENAI_PAST",
    oneOf("first-turn", "every-turn"),
    "when a conversation that moved in shows the model what it left at OpenAI",
  ),
  provider(
    "aiQueue",
    "LULL_AI_QUEUE",
    URL_KIND,
    "turns are handed to this SQS queue, and nothing is replied",
  ),
  provider(
    "aiQueueAnswerSeconds",
    "LULL_AI_QUEUE_ANSWER_SECONDS",
    number({ minimum: 1, maximum: SECONDS_MAX }),
    "who reads that queue answers through the API, within this time",
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

/** In the order in which people read them, under the headings of docs/configuration.md. */
export const KNOBS_BY_HEADING = {
  "The service": SERVICE,
  "Windows and turns": TURNS,
  Limits: NUMBERS,
  "Channels and the responder": PROVIDERS,
} as const;

/** Everything that can be set. */
export const KNOBS: readonly Knob[] = Object.values(KNOBS_BY_HEADING).flat();
