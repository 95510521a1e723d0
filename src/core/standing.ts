import type { Answering, ConversationKey } from "../model/conversation.ts";
import type { Settings } from "../model/settings.ts";
import type { Failing } from "../model/turn.ts";
import { type KeptBack, pauseOf } from "./pause.ts";
import { projectAt } from "./projects.ts";
import { withoutTry } from "./reason.ts";

/** What of a conversation's window and lease tells how it stands. */
export interface WaitingLock {
  readonly window?: { readonly dueAtMs: number };
  readonly lease?: { readonly untilAtMs: number; readonly turnId?: string };
  readonly elsewhere?: { readonly sinceAtMs: number };
  readonly staged: number;
  readonly failing?: Failing;
  /** A reply is written down. */
  readonly draft?: boolean;
}

/** What people have paused. */
export interface Pauses {
  readonly all: boolean;
  /** Names of projects. */
  readonly projects: readonly string[];
}

/** What pause keeps a conversation's messages back. While all is paused, not even a draft goes on. */
export function keptBackBy(
  conversation: (ConversationKey & Pick<Answering, "paused">) | undefined,
  lock: Pick<WaitingLock, "draft"> | undefined,
  { all, projects }: Pauses,
  settings: Pick<Settings, "channels" | "projects">,
): KeptBack | undefined {
  if (lock?.draft && !all) return undefined;
  const project = conversation && projectAt(settings, conversation);
  const isPaused = project !== undefined && projects.includes(project);
  return pauseOf({ allPaused: all, pausedProject: isPaused ? project : undefined, conversation });
}

/** Why turns fail at present. */
export interface FailingReason {
  readonly reason: string;
  /** How many conversations wait because of it. */
  readonly conversations: number;
  /** Since when, where it is an outage. */
  readonly sinceAtMs?: number;
  /** When the first of them is tried again. */
  readonly againAtMs?: number;
}

/** Conversations and messages that wait until a person says so. */
export interface Kept {
  readonly conversations: number;
  readonly messages: number;
}

/** How it stands with all that waits. */
export interface Standing {
  /** Conversations with messages that wait, those included that are being answered. */
  readonly waiting: number;
  readonly answering: number;
  /** When the first should be taken that no worker has, that does not fail and that no pause keeps back. */
  readonly oldestDueAtMs?: number;
  /** Most conversations first. Those that are kept back are not tried, and not counted. */
  readonly failing: readonly FailingReason[];
  /** Of single conversations that are paused. */
  readonly paused: Kept;
  /** What waits in each project that is paused. */
  readonly pausedProjects: readonly ({ readonly project: string } & Kept)[];
  /** Those that another system processes, with `honourStatus`. */
  readonly elsewhere: { readonly conversations: number; readonly sinceAtMs?: number };
}

export interface Stood<Lock extends WaitingLock = WaitingLock> {
  readonly lock: Lock;
  readonly keptBack?: KeptBack | undefined;
}

export function standingOf(stood: readonly Stood[], { projects }: Pauses, nowMs: number): Standing {
  const tried = stood.filter(({ keptBack }) => keptBack === undefined).map(({ lock }) => lock);
  const isToTake = (lock: WaitingLock) => !isHeld(lock, nowMs) && !lock.failing && !lock.elsewhere;
  const due = tried.filter(isToTake).flatMap(({ window }) => window?.dueAtMs ?? []);
  const elsewhere = tried.flatMap((lock) => lock.elsewhere?.sinceAtMs ?? []);
  return {
    waiting: stood.filter(({ lock }) => lock.staged > 0).length,
    answering: stood.filter(({ lock }) => isHeld(lock, nowMs)).length,
    ...earliest("oldestDueAtMs", due),
    failing: reasonsOf(tried),
    paused: kept(stood, ({ by }) => by === "paused"),
    pausedProjects: projects.map((project) => ({
      project,
      ...kept(stood, (each) => each.by === "project-paused" && each.project === project),
    })),
    elsewhere: { conversations: elsewhere.length, ...earliest("sinceAtMs", elsewhere) },
  };
}

function isHeld({ lease }: WaitingLock, nowMs: number): boolean {
  return lease?.turnId !== undefined && lease.untilAtMs > nowMs;
}

function kept(stood: readonly Stood[], isMeant: (by: KeptBack) => boolean): Kept {
  const meant = stood.filter(({ lock, keptBack }) => lock.staged > 0 && keptBack && isMeant(keptBack));
  return { conversations: meant.length, messages: meant.reduce((sum, { lock }) => sum + lock.staged, 0) };
}

function reasonsOf(locks: readonly WaitingLock[]): FailingReason[] {
  const failing = locks.flatMap((lock) => lock.failing ?? []);
  const byReason = Map.groupBy(failing, ({ reason }) => withoutTry(reason));
  const reasons = [...byReason].map(([reason, of]) => ({
    reason,
    conversations: of.length,
    ...earliest(
      "sinceAtMs",
      of.flatMap(({ sinceAtMs }) => sinceAtMs ?? []),
    ),
    ...earliest(
      "againAtMs",
      of.flatMap(({ againAtMs }) => againAtMs ?? []),
    ),
  }));
  return reasons.sort((one, other) => other.conversations - one.conversations);
}

function earliest<K extends string>(key: K, times: readonly number[]): { readonly [key in K]?: number } {
  const first = times.reduce((least, each) => Math.min(least, each), Infinity);
  return (times.length === 0 ? {} : { [key]: first }) as { readonly [key in K]?: number };
}
