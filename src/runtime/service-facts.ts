import type { Log } from "../model/log.ts";
import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { SecretReference, Secrets } from "../ports/secrets.ts";
import { processIdentity } from "../process/identity.ts";
import type { Aliases } from "../schema/aliases.ts";
import { environmentSecrets } from "../secrets/secrets.ts";
import { type Arranged, channelsOf } from "./arranged.ts";
import { aliasesIn, type LullConfig, publicUrlIn, settingsFrom } from "./config.ts";
import { Counters } from "./counters.ts";
import { safely } from "./log-privacy.ts";
import { type ProjectTokens, tokensIn } from "./project-config.ts";
import { RetryLog } from "./retry-log.ts";
import { SampledLog } from "./sampled-log.ts";
import { StoreState } from "./store-state.ts";
import { systemClock } from "./system-clock.ts";
import { warnings } from "./warnings.ts";

/** What opens the API. */
interface ServiceTokens {
  readonly apiToken: SecretReference | undefined;
  readonly turnToken: SecretReference | undefined;
  /** By project: they reach nothing of another one. */
  readonly projectTokens: Readonly<Record<string, ProjectTokens>>;
}

/** How a service is configured, and what an edge may use of it. */
export interface ServiceFacts extends ServiceTokens {
  readonly settings: Settings;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly publicUrl: string | undefined;
  /** Paths that stand for `/webhooks/<channel>`. */
  readonly aliases: Aliases;
  readonly secrets: Secrets;
  readonly log: Log;
  /** What this process has counted. */
  readonly counters: Pick<Counters, "series" | "version">;
  /** For what callers who prove nothing may cause as often as they like. */
  readonly sampled: Pick<SampledLog, "note">;
  /** Who this process is to the store: its leases carry it. */
  readonly workerId: string;
  readonly clock: Clock;
}

/** The same for the parts of the service itself. */
export interface OwnFacts extends ServiceFacts {
  /** Flushed when the service stops. */
  readonly sampled: SampledLog;
  /** Flushed as well. */
  readonly retries: RetryLog;
  readonly store: StoreState;
  /** 0 up to 1, for jitter. */
  readonly random: () => number;
  /** When the service started. */
  readonly startedAtMs: number;
}

/** Checks what is configured, and fills in what is left out. */
export function factsFrom(config: LullConfig, all: Arranged): OwnFacts {
  const { apiToken, turnToken, clock = systemClock, secrets = environmentSecrets() } = config;
  const channels = channelsOf(all);
  const startedAtMs = config.partOf?.startedAtMs ?? clock.nowMs();
  const counters = new Counters({ channels: Object.keys(channels), startedAtMs, nowMs: clock.nowMs });
  const log = counters.counted(safely(config.log ?? warnings));
  return {
    settings: settingsFrom(config, all),
    channels,
    publicUrl: publicUrlIn(config),
    aliases: aliasesIn(config, all),
    apiToken,
    turnToken,
    projectTokens: tokensIn(config),
    secrets,
    log,
    counters,
    startedAtMs,
    sampled: new SampledLog(log, clock),
    retries: new RetryLog(log, clock),
    store: new StoreState(log, clock),
    workerId: config.workerId ?? processIdentity(),
    clock,
    random: config.random ?? Math.random,
  };
}
