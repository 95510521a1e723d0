import type { WindowPolicy } from "./window.ts";

/** What happens to a message that arrives while the conversation's turn runs. */
export type WhileBusy = "queue" | "restart" | "reject";
/** `open`: anybody who writes gets a conversation. `known`: it has to exist. */
export type Admission = "open" | "known";
/** Whether conversation and rules are checked when a message arrives, or when its turn starts. */
export type Validation = "on-receipt" | "on-turn";
/** What to do with a chunk whose outcome cannot be learnt. */
export type OnUnknown = "hold" | "resend" | "assume-sent";

/** What the store has to know of a channel. */
export interface ChannelSettings {
  readonly type: string;
  readonly window: WindowPolicy;
}

/** Everything that decisions depend on, as plain data: it crosses thread boundaries. Durations in ms. */
export interface Settings {
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly window: WindowPolicy;
  readonly whileBusy: WhileBusy;
  readonly admission: Admission;
  readonly validation: Validation;
  readonly onUnknown: OnUnknown;
  /** What a conversation that `admission: "open"` creates starts with. */
  readonly projectStatus: string;
  readonly allowedChannels?: readonly string[];
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly sweepMs: number;
  readonly graceMs: number;
  readonly attemptsMax: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** How long a webhook may take until its provider is told to come back. Twilio stops listening after 15 seconds. */
  readonly receiveTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly settleMs: number;
  readonly settleDeadMs: number;
  readonly clockSkewMs: number;
  readonly batchMessagesMax: number;
  readonly batchBytesMax: number;
  readonly dedupeMs: number;
  readonly historyMessagesMax: number;
  readonly restartsMax: number;
  readonly restartPollMs: number;
  /** How often a worker looks for windows that other processes armed. */
  readonly pollMs: number;
  /** How often a held conversation (paused) is looked at again. */
  readonly holdMs: number;
  readonly concurrency: number;
  readonly bodyBytesMax: number;
  readonly sweepRowsMax: number;
  /** Requests in the air at once; past that callers are told to slow down. */
  readonly requestsMax: number;
  /** Messages per sender and minute; 0 means no limit. */
  readonly senderPerMinuteMax: number;
  /** How long committed messages and turns are kept; 0 means for good. */
  readonly retentionMs: number;
}
