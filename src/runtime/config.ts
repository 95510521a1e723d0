import {
  DEFAULTS,
  LEASE_MS_MAX,
  QUIET_MAX_FACTOR,
  REPLY_BYTES_MOST,
  REPLY_MESSAGES_MOST,
  settingsWith,
  WINDOW_MS_MAX,
} from "../core/defaults.ts";
import { ConfigError } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type {
  Admission,
  ChannelSettings,
  OnUnknown,
  Settings,
  Validation,
  WhileBusy,
} from "../model/settings.ts";
import type { WindowPolicy } from "../model/window.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { Responder } from "../ports/responder.ts";
import type { SecretReference, Secrets } from "../ports/secrets.ts";
import { isPlainUrl, plainUrlInWords } from "../wire/plain-url.ts";
import { isSameQueue } from "../wire/queue-url.ts";

/** `{ seconds: 10 }`: ten seconds from the first message. `{ quietSeconds: 4 }`: until nobody wrote for four, `maxSeconds` at most. */
export type WindowConfig =
  | { readonly seconds: number }
  | { readonly quietSeconds: number; readonly maxSeconds?: number };

/** Numbers that few people change. Public configuration speaks seconds. */
export interface LimitsConfig {
  readonly leaseSeconds?: number;
  readonly attemptsMax?: number;
  readonly receiveTimeoutSeconds?: number;
  readonly answerTimeoutSeconds?: number;
  readonly sendTimeoutSeconds?: number;
  /** How long an outage of a responder or a provider is waited out before its messages become dead letters. */
  readonly retryForSeconds?: number;
  readonly settleSeconds?: number;
  readonly sweepSeconds?: number;
  readonly graceSeconds?: number;
  readonly backoffSeconds?: number;
  readonly backoffSecondsMax?: number;
  /** What may wait in one conversation. Beyond that messages are refused with `RATE_LIMITED`. */
  readonly stagedMessagesMax?: number;
  readonly stagedBytesMax?: number;
  readonly batchMessagesMax?: number;
  readonly batchBytesMax?: number;
  readonly dedupeHours?: number;
  /** Bytes of one reply, and messages that it may be sent as. Beyond that the turn is a dead letter: nothing is cut. */
  readonly replyBytesMax?: number;
  readonly replyMessagesMax?: number;
  readonly historyMessagesMax?: number;
  readonly historyBytesMax?: number;
  readonly restartsMax?: number;
  readonly restartPollSeconds?: number;
  /** How often a worker looks for windows that other processes armed. */
  readonly pollSeconds?: number;
  readonly concurrency?: number;
  readonly bodyBytesMax?: number;
  readonly bodyTimeoutSeconds?: number;
  /** Bytes of all bodies that are being read, per process. */
  readonly readingBytesMax?: number;
  readonly requestsMax?: number;
  readonly feedRequestsMax?: number;
  readonly connectionsMax?: number;
  readonly senderPerMinuteMax?: number;
  readonly visitorPerMinuteMax?: number;
  readonly retentionDays?: number;
}

/** What `createLull` and `lull.config.ts` take. */
export interface LullConfig {
  readonly engine: EngineProvider;
  /** By name; the name is in the webhook's path: `POST /webhooks/<name>`. */
  readonly channels: Readonly<Record<string, Channel>>;
  readonly window?: WindowConfig;
  /** Other windows for some channels, by channel name. */
  readonly windows?: Readonly<Record<string, WindowConfig>>;
  readonly respond?: Responder;
  /** Other responders for some channels, by channel name. */
  readonly responders?: Readonly<Record<string, Responder>>;
  /** Gets the turns of a conversation that a human has taken over. What it returns is not sent. */
  readonly handOffTo?: Responder;
  readonly whileBusy?: WhileBusy;
  readonly busyText?: string;
  readonly admission?: Admission;
  readonly validation?: Validation;
  readonly onUnknown?: OnUnknown;
  /** What a new conversation starts with under `admission: "open"`. */
  readonly project?: { readonly status?: string; readonly allowedChannels?: readonly string[] };
  readonly limits?: LimitsConfig;
  /** Base of the URL that providers call, for signatures and status callbacks. */
  readonly publicUrl?: string;
  /** Bearer token for `/api`, 16 characters or more. Without one `/api` answers on loopback only, and with a `publicUrl` not at all. */
  readonly apiToken?: SecretReference;
  /** Another token, for responders that answer later: it may answer turns and do nothing else. */
  readonly turnToken?: SecretReference;
  readonly secrets?: Secrets;
  readonly log?: Log;
  readonly clock?: Clock;
  /** Who this process is to the store; made up where it is left out. */
  readonly workerId?: string;
  /** 0 up to 1, for the jitter of backoffs. Handed in by tests. */
  readonly random?: () => number;
}

/** For `lull.config.ts`: gives the editor the types, changes nothing. */
export function defineConfig(config: Partial<LullConfig>): Partial<LullConfig> {
  return config;
}

const INTERVAL_MS_MIN = 100;
const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;

const WITH_CREDENTIALS = { credentials: true } as const;

/** Paths are appended to it. Not repeated where it is wrong: it may hold a password. */
export function publicUrlIn({ publicUrl }: LullConfig): string | undefined {
  if (publicUrl === undefined) return undefined;
  if (!isPlainUrl(publicUrl, WITH_CREDENTIALS))
    throw new ConfigError(`publicUrl must be ${plainUrlInWords(WITH_CREDENTIALS)}`);
  return publicUrl.replace(/\/+$/, "");
}

/** Checks the configuration and turns it into settings: seconds into ms, names into policies. */
export function settingsFrom(config: LullConfig): Settings {
  checkTargets(config);
  const window = config.window === undefined ? DEFAULTS.window : windowPolicy(config.window, "window");
  const limits = config.limits ?? {};
  return settingsWith({
    ...config.engine.defaults,
    window,
    channels: channelSettings(config, window),
    ...present({
      whileBusy: oneOf("whileBusy", config.whileBusy, ["queue", "restart", "reject"]),
      admission: oneOf("admission", config.admission, ["open", "known"]),
      validation: oneOf("validation", config.validation, ["on-receipt", "on-turn"]),
      onUnknown: oneOf("onUnknown", config.onUnknown, ["hold", "resend", "assume-sent"]),
      projectStatus: config.project?.status,
      allowedChannels: config.project?.allowedChannels,
      leaseMs: leaseMs("limits.leaseSeconds", limits.leaseSeconds),
      receiveTimeoutMs: interval("limits.receiveTimeoutSeconds", limits.receiveTimeoutSeconds),
      answerTimeoutMs: ms("limits.answerTimeoutSeconds", limits.answerTimeoutSeconds),
      sendTimeoutMs: ms("limits.sendTimeoutSeconds", limits.sendTimeoutSeconds),
      retryForMs: ms("limits.retryForSeconds", limits.retryForSeconds),
      settleMs: ms("limits.settleSeconds", limits.settleSeconds),
      sweepMs: interval("limits.sweepSeconds", limits.sweepSeconds),
      graceMs: ms("limits.graceSeconds", limits.graceSeconds),
      backoffMs: ms("limits.backoffSeconds", limits.backoffSeconds),
      backoffMsMax: ms("limits.backoffSecondsMax", limits.backoffSecondsMax),
      restartPollMs: interval("limits.restartPollSeconds", limits.restartPollSeconds),
      pollMs: interval("limits.pollSeconds", limits.pollSeconds),
      dedupeMs: ms("limits.dedupeHours", limits.dedupeHours, 3_600_000),
      retentionMs: ms("limits.retentionDays", limits.retentionDays, 86_400_000),
      attemptsMax: count("limits.attemptsMax", limits.attemptsMax),
      stagedMessagesMax: count("limits.stagedMessagesMax", limits.stagedMessagesMax),
      stagedBytesMax: count("limits.stagedBytesMax", limits.stagedBytesMax),
      batchMessagesMax: count("limits.batchMessagesMax", limits.batchMessagesMax),
      batchBytesMax: count("limits.batchBytesMax", limits.batchBytesMax),
      replyBytesMax: count("limits.replyBytesMax", limits.replyBytesMax, 1, REPLY_BYTES_MOST),
      replyMessagesMax: count("limits.replyMessagesMax", limits.replyMessagesMax, 1, REPLY_MESSAGES_MOST),
      historyMessagesMax: count("limits.historyMessagesMax", limits.historyMessagesMax),
      historyBytesMax: count("limits.historyBytesMax", limits.historyBytesMax),
      restartsMax: count("limits.restartsMax", limits.restartsMax, 0),
      concurrency: count("limits.concurrency", limits.concurrency),
      bodyBytesMax: count("limits.bodyBytesMax", limits.bodyBytesMax),
      bodyTimeoutMs: interval("limits.bodyTimeoutSeconds", limits.bodyTimeoutSeconds),
      readingBytesMax: count("limits.readingBytesMax", limits.readingBytesMax),
      requestsMax: count("limits.requestsMax", limits.requestsMax),
      feedRequestsMax: count("limits.feedRequestsMax", limits.feedRequestsMax),
      connectionsMax: count("limits.connectionsMax", limits.connectionsMax),
      senderPerMinuteMax: count("limits.senderPerMinuteMax", limits.senderPerMinuteMax, 0),
      visitorPerMinuteMax: count("limits.visitorPerMinuteMax", limits.visitorPerMinuteMax, 0),
    }),
  });
}

/** A turn in a trigger queue would be read as poison, or wake a conversation that nobody wrote to. */
function checkTargets({ engine, respond, responders, handOffTo }: LullConfig): void {
  const targets = { ...prefixed(responders), respond, handOffTo };
  const triggers = engine.triggerQueues?.() ?? [];
  for (const [where, target] of Object.entries(targets)) {
    const url = target?.handsTo;
    if (url !== undefined && triggers.some((trigger) => isSameQueue(trigger, url)))
      throw new ConfigError(`${where}: ${url} is one of the queues that wake us; hand turns to another one`);
  }
}

function prefixed(responders: LullConfig["responders"] = {}): Record<string, Responder> {
  return Object.fromEntries(
    Object.entries(responders).map(([channel, responder]) => [`responders.${channel}`, responder]),
  );
}

/** Whoever waits longer for a lost send to settle waits for nothing. */
const SETTLE_MS_MAX = 24 * 3_600_000;

function channelSettings(config: LullConfig, window: WindowPolicy): Record<string, ChannelSettings> {
  for (const name of Object.keys(config.windows ?? {})) {
    if (config.channels[name] === undefined)
      throw new ConfigError(`windows.${name}: there is no channel of that name`);
  }
  return Object.fromEntries(
    Object.entries(config.channels).map(([name, channel]) => {
      if (!CHANNEL_NAME.test(name)) {
        throw new ConfigError(`channels.${name}: a channel's name is lower-case letters, digits and dashes`);
      }
      const own = config.windows?.[name];
      const { type, settleMs } = channel;
      if (settleMs !== undefined && !(settleMs >= 0 && settleMs <= SETTLE_MS_MAX))
        throw new ConfigError(
          `channels.${name}: settleMs is ${settleMs}, and must be from 0 to ${SETTLE_MS_MAX}`,
        );
      const ownWindow = own ? windowPolicy(own, `windows.${name}`) : window;
      return [name, { type, window: ownWindow, ...(settleMs !== undefined && { settleMs }) }];
    }),
  );
}

/** Public seconds to a policy; `where` is named in the error. */
export function windowPolicy(window: WindowConfig, where: string): WindowPolicy {
  if (typeof window !== "object" || window === null) {
    throw new ConfigError(
      `${where} must be { seconds } or { quietSeconds, maxSeconds }, not ${JSON.stringify(window)}`,
    );
  }
  if ("seconds" in window) return { kind: "fixed", lengthMs: windowMs(`${where}.seconds`, window.seconds) };
  const quietMs = windowMs(`${where}.quietSeconds`, window.quietSeconds);
  const maxMs =
    window.maxSeconds === undefined
      ? Math.min(quietMs * QUIET_MAX_FACTOR, WINDOW_MS_MAX)
      : windowMs(`${where}.maxSeconds`, window.maxSeconds);
  if (maxMs < quietMs) throw new ConfigError(`${where}.maxSeconds must not be less than quietSeconds`);
  return { kind: "quiet", quietMs, maxMs };
}

function ms(where: string, value: number | undefined, unitMs = 1_000): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new ConfigError(`${where} must be a number of at least 0, not ${JSON.stringify(value)}`);
  }
  return Math.round(value * unitMs);
}

/** What a worker waits for again and again: nothing at all would be a loop without end. */
function interval(where: string, seconds: number | undefined): number | undefined {
  const waitMs = ms(where, seconds);
  if (waitMs !== undefined && waitMs < INTERVAL_MS_MIN) {
    throw new ConfigError(`${where} must be at least ${INTERVAL_MS_MIN / 1_000}, not ${seconds}`);
  }
  return waitMs;
}

function leaseMs(where: string, seconds: number | undefined): number | undefined {
  const lengthMs = interval(where, seconds);
  if (lengthMs !== undefined && lengthMs > LEASE_MS_MAX)
    throw new ConfigError(`${where} must be a day (${LEASE_MS_MAX / 1_000}) at most, not ${seconds}`);
  return lengthMs;
}

function count(
  where: string,
  value: number | undefined,
  min = 1,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new ConfigError(`${where} must be a whole number ${range}, not ${JSON.stringify(value)}`);
  }
  return value;
}

function oneOf<T extends string>(where: string, value: T | undefined, allowed: readonly T[]): T | undefined {
  if (value === undefined || allowed.includes(value)) return value;
  throw new ConfigError(`${where} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
}

function windowMs(where: string, seconds: number | undefined): number {
  const lengthMs = ms(where, seconds);
  if (lengthMs === undefined) throw new ConfigError("a window needs seconds or quietSeconds");
  if (lengthMs > WINDOW_MS_MAX) throw new ConfigError(`${where} must be a week at most, not ${seconds}`);
  return lengthMs;
}

/** Leaves out what is undefined, so that a spread does not overwrite a default. */
function present<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
