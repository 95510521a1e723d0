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
  "failureTextAfterMs",
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

/** Choices that a project may make for itself. */
export const PROJECT_CHOICES = ["admission", "whileBusy", "onUnknown"] as const;

type OwnLimit = (typeof PROJECT_LIMITS)[number];
type OwnChoice = (typeof PROJECT_CHOICES)[number];

/** What a project may have of its own, beside its windows. */
export interface OwnSettings extends Pick<LimitSettings, OwnLimit>, Pick<Choices, OwnChoice> {
  /** What a customer is told whose message is turned away because too much waits, or a turn runs. */
  readonly busyText: string;
  /** What a customer is told, once a turn, whose answer is late or will not come. Empty: nothing. */
  readonly failureText?: string;
}

/** What settings are made from: what is for all, and what differs for some projects. */
export interface GivenSettings extends Omit<Settings, "own" | "projects">, OwnSettings {
  readonly projects: Readonly<Record<string, ProjectRule & { readonly own?: Partial<OwnSettings> }>>;
}

/**
 * Everything that decisions depend on, as plain data: it crosses thread boundaries. Durations in ms. What a
 * project may set itself is not among it but in `own`: `settingsFor` wants to know whose is meant.
 */
export interface Settings extends Omit<LimitSettings, OwnLimit>, Omit<Choices, OwnChoice> {
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly window: WindowPolicy;
  /** By name; without any, all channels are of one project that is active. */
  readonly projects: Readonly<Record<string, ProjectRule>>;
  /** By project, complete; those for all are the default project's. */
  readonly own: Readonly<Record<string, OwnSettings>>;
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
