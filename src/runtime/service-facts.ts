import type { Log } from "../model/log.ts";
import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { SecretReference, Secrets } from "../ports/secrets.ts";
import { processIdentity } from "../process/identity.ts";
import { environmentSecrets } from "../secrets/secrets.ts";
import { type LullConfig, publicUrlIn, settingsFrom } from "./config.ts";
import { safely } from "./log-privacy.ts";
import { RetryLog } from "./retry-log.ts";
import { SampledLog } from "./sampled-log.ts";
import { StoreState } from "./store-state.ts";
import { systemClock } from "./system-clock.ts";
import { warnings } from "./warnings.ts";

/** How a service is configured, and what an edge may use of it. */
export interface ServiceFacts {
  readonly settings: Settings;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly publicUrl: string | undefined;
  readonly apiToken: SecretReference | undefined;
  readonly turnToken: SecretReference | undefined;
  readonly secrets: Secrets;
  readonly log: Log;
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
}

/** Checks what is configured, and fills in what is left out. */
export function factsFrom(config: LullConfig): OwnFacts {
  const { channels, apiToken, turnToken, clock = systemClock, secrets = environmentSecrets() } = config;
  const log = safely(config.log ?? warnings);
  return {
    settings: settingsFrom(config),
    channels,
    publicUrl: publicUrlIn(config),
    apiToken,
    turnToken,
    secrets,
    log,
    sampled: new SampledLog(log, clock),
    retries: new RetryLog(log, clock),
    store: new StoreState(log, clock),
    workerId: config.workerId ?? processIdentity(),
    clock,
    random: config.random ?? Math.random,
  };
}
