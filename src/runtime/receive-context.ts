import { UNSIGNED_REFUSALS_PER_MINUTE_MAX } from "../core/defaults.ts";
import type { Log } from "../model/log.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { ChannelFitness } from "./channel-fitness.ts";
import { RecordPace } from "./record-pace.ts";
import type { ResponderFor } from "./responder-for.ts";
import type { SampledLog } from "./sampled-log.ts";
import { type SenderLimit, senderLimits } from "./sender-limit.ts";
import type { StoreState } from "./store-state.ts";
import type { WholeContext } from "./use-case.ts";

/** What the other parts of the service bring to receiving. */
export interface ReceivingParts extends WholeContext {
  readonly fitness: Pick<ChannelFitness, "require">;
  readonly log: Log;
  /** For everything that a caller may cause without end. */
  readonly sampled: Pick<SampledLog, "note">;
  readonly store: Pick<StoreState, "failed" | "worked">;
  readonly clock: Clock;
  readonly responderFor: ResponderFor;
}

/** What receiving needs besides the messages, whether a webhook brings them or we fetch them. */
export interface ReceiveContext extends ReceivingParts {
  readonly limitFor: (name: string, channel: Channel) => SenderLimit;
  /** How many refusals of senders who prove nothing are written down. */
  readonly unsignedRecords: RecordPace;
}

/** What is counted here is counted over all channels and for as long as the process lives. */
export function receiveContext(parts: ReceivingParts): ReceiveContext {
  return {
    ...parts,
    limitFor: senderLimits(parts.settings),
    unsignedRecords: new RecordPace(UNSIGNED_REFUSALS_PER_MINUTE_MAX),
  };
}
