import type { LimitSettings } from "./limits.ts";
import type { ProjectRule } from "./project.ts";
import type { WindowPolicy } from "./window.ts";

/** Settings that are chosen by a word; the first one is the default. */
export const CHOICES = {
  /** What happens to a message that arrives while the conversation's turn runs. */
  whileBusy: ["queue", "restart", "reject"],
  /** `open`: every sender gets a conversation. `known`: the conversation has to exist. */
  admission: ["open", "known"],
  /** Whether conversation and rules are checked when a message arrives, or when its turn starts. */
  validation: ["on-receipt", "on-turn"],
  /** What to do with a chunk whose outcome cannot be learnt. */
  onUnknown: ["hold", "resend", "assume-sent"],
} as const;

export type Choices = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

/** What the store has to know of a channel. */
export interface ChannelSettings {
  readonly type: string;
  readonly window: WindowPolicy;
  /** How long a request may stay inside this provider, if it is not `settleMs`. */
  readonly settleMs?: number;
  /** The project that it belongs to, where that is not the default. */
  readonly project?: string;
  /** Its own addresses, once it is open. */
  readonly addresses?: readonly string[];
}

/** Limits that a project may have of its own: they are about its customers alone. */
export const PROJECT_LIMITS = [
  "answerTimeoutMs",
  "stagedMessagesMax",
  "stagedBytesMax",
  "historyMessagesMax",
  "historyBytesMax",
  "replyBytesMax",
  "replyMessagesMax",
  "restartsMax",
  "senderPerMinuteMax",
  "visitorPerMinuteMax",
] as const;

/** What a project may have of its own, beside its windows. */
export type OwnSettings = Pick<LimitSettings, (typeof PROJECT_LIMITS)[number]> &
  Pick<Choices, "admission" | "whileBusy" | "onUnknown"> & { readonly busyText: string };

export interface ProjectSettings extends ProjectRule {
  readonly own?: Partial<OwnSettings>;
}

/** Everything that decisions depend on, as plain data: it crosses thread boundaries. Durations in ms. */
export interface Settings extends LimitSettings, Choices {
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly window: WindowPolicy;
  /** By name; without any, all channels are of one project that is active. */
  readonly projects: Readonly<Record<string, ProjectSettings>>;
  /** What a customer is told whose message is turned away because too much waits, or a turn runs. */
  readonly busyText: string;
  /** A status that says that another system processes the conversation puts its turns off. */
  readonly honourStatus: boolean;
  /** How many of its messages a conversation's row shows to other systems, where there is such a row. */
  readonly mirrorMessages: number;
  readonly renewMs: number;
  readonly clockSkewMs: number;
  /** How often a paused conversation is looked at again. */
  readonly holdMs: number;
  readonly sweepRowsMax: number;
  /** Responders read the history in every turn: a take brings it along where that saves a request. */
  readonly bringsHistory: boolean;
}
