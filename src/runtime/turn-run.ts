import type { Log } from "../model/log.ts";
import type { ReleaseReason } from "../model/release.ts";
import type { OwnSettings, Settings } from "../model/settings.ts";
import type { Taken, TakeResult } from "../model/take.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine } from "../ports/engine.ts";
import type { Responder } from "../ports/responder.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { RetryLog } from "./retry-log.ts";
import type { SampledLog } from "./sampled-log.ts";
import type { StoreState } from "./store-state.ts";

/** Where turns tell of themselves. */
interface Telling {
  readonly log: Log;
  /** For failures that are the same for every turn while they last. */
  readonly sampled: Pick<SampledLog, "note">;
  /** For turns that are tried again. */
  readonly retries: Pick<RetryLog, "note" | "ended">;
  readonly store: Pick<StoreState, "failed" | "worked">;
}

/** What every turn of a worker shares. */
export interface TurnContext extends Telling {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly responderFor: (channel: string) => Responder | undefined;
  readonly handOffFor: (channel: string) => Responder | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whose leases its turns run under. */
  readonly workerId: string;
  /** Aborts when the worker may wait no longer for running turns. */
  readonly stopping: AbortSignal;
}

/** One turn as it runs: what was taken, and the heartbeat that keeps it ours. */
export interface TurnRun extends TurnContext {
  /** What its project sets itself. */
  readonly own: OwnSettings;
  readonly taken: Taken;
  readonly heartbeat: Heartbeat;
}

/**
 * How a run ended. `next` is what the commit went on to in the same conversation, without a release in
 * between: a turn under a new token, or nothing more.
 */
export type TurnEnd =
  | {
      readonly kind: "committed";
      readonly outcome: string;
      readonly next?: TakeResult;
      readonly isLeft?: true;
    }
  | { readonly kind: "released"; readonly how: ReleaseReason["kind"] }
  /** A newer token stands: its holder continues. */
  | { readonly kind: "lost" }
  /** The store could not be told. The lease lapses, and a worker has to look then. */
  | { readonly kind: "abandoned" };
