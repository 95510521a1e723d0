import { randomBytes } from "node:crypto";
import type { ClockReading } from "../../core/due.ts";
import type { Log } from "../../model/log.ts";
import type { GivenSettings, Settings } from "../../model/settings.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EngineContext } from "../../ports/engine.ts";
import type { Item } from "./dynamo/expression.ts";
import type { Store } from "./dynamo/store.ts";
import { Installation } from "./items/installation.ts";
import { LEASE_SHARDS } from "./items/keys.ts";
import { Quarantine } from "./items/quarantine.ts";
import type { StageRow } from "./items/stage-item.ts";
import type { Stored } from "./items/state-item.ts";
import type { LeftBehind } from "./left-rows.ts";
import type { Triggers } from "./queue/triggers.ts";
import { Recent } from "./recent.ts";

/** A transaction holds 100 actions. A message of a batch needs two; in a dead letter, three. */
const BATCH_MESSAGES_MAX = 30;
const BATCH_BYTES_MAX = 256_000;
/** The clocks of a cloud's machines never agree exactly. */
const CLOCK_SKEW_MS_MIN = 2_000;

/** What differs on AWS from the defaults of one machine. */
export const AWS_DEFAULTS: Partial<GivenSettings> = {
  sweepMs: 60_000,
  graceMs: 60_000,
  clockSkewMs: CLOCK_SKEW_MS_MIN,
  batchMessagesMax: BATCH_MESSAGES_MAX,
  batchBytesMax: BATCH_BYTES_MAX,
};

const HELD_MAX = 10_000;
/** Each may hold as many bytes as a batch. Removed when their turn is over; what remains is of lost turns. */
const BATCHES_MAX = 1_000;
/** Each may describe 2,000 messages: a few hundred KB. */
const LEFT_MAX = 100;
const SENDERS_MAX = 100_000;

/** What operators set for all conversations, or for all of a project, as it was at this time. */
interface SeenControls {
  readonly atMs: number;
  readonly item: Promise<Item>;
}

/** What this process has seen. Only caches: every write is conditional on what it has seen. */
interface Caches {
  /** By token: the rows of leases held here, as they were last seen. */
  readonly held: Recent<Stored>;
  /** By token: the batch of the running turn. */
  readonly batches: Recent<readonly StageRow[]>;
  /** By token: what the running turn left behind. Without it everything is read again. */
  readonly leftBehind: Recent<LeftBehind>;
  /** By conversation id: the first half of its key, which never changes. */
  readonly senders: Recent<string>;
  /** What was set for all conversations. */
  readonly controls: { seen: SeenControls | undefined };
}

/** What every step works with. */
export interface AwsContext extends Caches {
  readonly store: Store;
  readonly triggers: Triggers;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly quarantine: Quarantine;
  readonly installation: Installation;
  readonly holder: string;
  readonly forget: "table" | "sweep";
  /** Over how many partitions leases are spread in their index. */
  readonly leaseShards: number;
  readonly newId: () => string;
  /** Order of staging within one process. */
  readonly nextSequence: () => number;
}

export function contextFor(
  { clock, settings, log, holder }: EngineContext,
  parts: Pick<AwsContext, "store" | "triggers" | "forget"> &
    Partial<Pick<AwsContext, "newId" | "leaseShards">>,
): AwsContext {
  let sequence = 0;
  const given = { newId, ...parts };
  const installation = new Installation(parts.store, clock, given.newId);
  return {
    leaseShards: LEASE_SHARDS,
    ...given,
    controls: { seen: undefined },
    installation,
    settings: withinLimits(settings),
    clock,
    log,
    quarantine: new Quarantine(log, (id) => installation.seenKey(id)),
    holder,
    nextSequence: () => ++sequence,
    held: new Recent(HELD_MAX),
    batches: new Recent(BATCHES_MAX),
    leftBehind: new Recent(LEFT_MAX),
    senders: new Recent(SENDERS_MAX),
  };
}

/**
 * Short: tokens, revisions and turn ids are in every item that a turn writes. Operators pass ids of dead
 * letters and unknown sends to commands, which would take an id that begins with a dash for an option.
 */
function newId(): string {
  return randomBytes(12).toString("base64url").replace(/^-/, "0");
}

/** Limits of this store, whatever was configured. */
function withinLimits(settings: Settings): Settings {
  return {
    ...settings,
    clockSkewMs: Math.max(settings.clockSkewMs, CLOCK_SKEW_MS_MIN),
    batchMessagesMax: Math.min(settings.batchMessagesMax, BATCH_MESSAGES_MAX),
    batchBytesMax: Math.min(settings.batchBytesMax, BATCH_BYTES_MAX),
  };
}

/** The current time, in the form that decisions about due times need. */
export function clockOf({ clock, settings }: Pick<AwsContext, "clock" | "settings">): ClockReading {
  return { nowMs: clock.nowMs(), clockSkewMs: settings.clockSkewMs };
}
