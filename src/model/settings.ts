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
  /** How long a request may stay inside this provider, where it is not `settleMs`. */
  readonly settleMs?: number;
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
  /** Tries that may end with the process or with an error that nobody can classify. */
  readonly attemptsMax: number;
  /** How long an outage of a responder or a provider is waited out, from its first failure on. */
  readonly retryForMs: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** How long a webhook may take until its provider is told to come back. Twilio stops listening after 15 seconds. */
  readonly receiveTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly sendTimeoutMs: number;
  /** How long after its deadline, or its sender's death, a request may still be inside the provider. */
  readonly settleMs: number;
  readonly clockSkewMs: number;
  /** What may wait in one conversation: beyond that a message is refused, and its provider asked to come back. */
  readonly stagedMessagesMax: number;
  readonly stagedBytesMax: number;
  readonly batchMessagesMax: number;
  readonly batchBytesMax: number;
  readonly dedupeMs: number;
  /** Bytes of one reply: its texts, and the addresses and names of its media. */
  readonly replyBytesMax: number;
  /** Messages that one reply may be sent as. */
  readonly replyMessagesMax: number;
  readonly historyMessagesMax: number;
  /** Bytes of earlier messages, as they are stored, that a responder is given. */
  readonly historyBytesMax: number;
  readonly restartsMax: number;
  readonly restartPollMs: number;
  /** How often a worker looks for windows that other processes armed. */
  readonly pollMs: number;
  /** How often a held conversation (paused) is looked at again. */
  readonly holdMs: number;
  readonly concurrency: number;
  /** Bytes of one request's body, where its channel has no limit of its own. */
  readonly bodyBytesMax: number;
  /** How long a body may take to come. */
  readonly bodyTimeoutMs: number;
  /** Bytes of all bodies that are being read or whose requests are not over: past that the oldest of the first is given up. */
  readonly readingBytesMax: number;
  readonly sweepRowsMax: number;
  /** Webhooks in the air at once, their bodies read; past that callers are told to slow down. */
  readonly requestsMax: number;
  /** The same for what visitors read. */
  readonly feedRequestsMax: number;
  /** Open connections; past that the one that is not being answered for the longest time is closed. */
  readonly connectionsMax: number;
  /** Messages per sender and minute; 0 means no limit. */
  readonly senderPerMinuteMax: number;
  /** The same for people who write from a page (`hasVisitors`), where there is none for all. */
  readonly visitorPerMinuteMax: number;
  /** How long committed messages and turns are kept; 0 means for good. */
  readonly retentionMs: number;
}
