import type { Log } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { ChannelFitness } from "./channel-fitness.ts";
import type { RecordPace } from "./record-pace.ts";
import type { SampledLog } from "./sampled-log.ts";
import type { SenderLimit } from "./sender-limit.ts";
import type { UseCaseContext } from "./use-case.ts";

/** What receiving needs besides the messages, whether a webhook brings them or we fetch them. */
export interface ReceiveContext extends UseCaseContext {
  readonly fitness: ChannelFitness;
  readonly log: Log;
  /** For everything that a caller may cause without end. */
  readonly sampled: SampledLog;
  readonly clock: Clock;
  readonly hasResponder: (channel: string) => boolean;
  readonly senderLimit: SenderLimit;
  /** For channels that people call by themselves. */
  readonly visitorLimit: SenderLimit;
  /** How many of their refusals are written down. */
  readonly unsignedRecords: RecordPace;
  readonly busyText: string;
}
