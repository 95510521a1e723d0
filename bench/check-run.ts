import type { CallLog } from "./call-log.ts";
import type { Posted } from "./generator.ts";
import { customerOf } from "./webhook.ts";

export interface Run {
  readonly posted: Pick<Posted, "firstAtMs" | "sentAtMs" | "ackedAtMs">;
  readonly log: CallLog;
  readonly conversationOf: (message: number) => number;
  readonly windowMs: number;
}

/** What must never happen, counted. */
export type Faults = {
  /** Acknowledged, and never answered. */
  readonly lost: number;
  /** In more than one reply. */
  readonly doubled: number;
  /** Turns of a conversation that began while another one of it was running. */
  readonly overlapping: number;
  /** Answered before a message that its customer had sent earlier. */
  readonly outOfOrder: number;
  /** Turns that began before the window of their oldest message was over. */
  readonly early: number;
  /** Replies that went to another customer. */
  readonly misdirected: number;
};

export interface Checked {
  readonly faults: Faults;
  /** How long after its due time each turn that was sent began, and when. */
  readonly lateness: readonly { readonly startedAtMs: number; readonly byMs: number }[];
  /** Turns later than a second: a matter of speed, not of a promise. */
  readonly late: number;
}

interface Turn {
  readonly messages: readonly number[];
  readonly startedAtMs: number;
  /** When its reply was out; where there was none, when it was answered. */
  readonly endedAtMs: number;
  readonly replies: readonly { readonly to: string; readonly startedAtMs: number }[];
}

/** Arrivals are noted in whole milliseconds, so a window may seem to end one early; and clocks slew. */
const CLOCK_MS = 2;
const LATE_MS = 1_000;

export function checkRun(run: Run): Checked {
  const turns = turnsOf(run.log);
  const answered = turns.filter(({ replies }) => replies.length > 0);
  const perConversation = Map.groupBy(turns, ({ messages }) => run.conversationOf(messages[0] ?? -1));
  const lateness = answered.map((turn) => ({
    startedAtMs: turn.startedAtMs,
    byMs: Math.max(0, latenessOf(turn, run)),
  }));
  return {
    lateness,
    late: lateness.filter(({ byMs }) => byMs > LATE_MS).length,
    faults: {
      ...countReplies(run, answered),
      overlapping: sum([...perConversation.values()].map(countOverlaps)),
      outOfOrder: sum([...perConversation.values()].map(countSwaps)),
      early: turns.filter((turn) => isEarly(turn, run)).length,
      misdirected: sum(answered.map((turn) => countMisdirected(turn, run))),
    },
  };
}

export function faultsIn(faults: Readonly<Record<string, number>>): string[] {
  return Object.entries(faults).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
}

function turnsOf({ asked, sent }: CallLog): Turn[] {
  const replies = Map.groupBy(sent, ({ answer }) => answer);
  return asked
    .map(({ messages, startedAtMs, endedAtMs }, answer) => {
      const own = replies.get(answer) ?? [];
      const lastAtMs = Math.max(endedAtMs, ...own.map((reply) => reply.endedAtMs));
      return { messages, startedAtMs, endedAtMs: lastAtMs, replies: own };
    })
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

function countReplies({ posted }: Run, answered: readonly Turn[]): Pick<Faults, "lost" | "doubled"> {
  const times = new Map<number, number>();
  for (const { messages, replies } of answered)
    for (const message of messages) times.set(message, (times.get(message) ?? 0) + replies.length);
  return {
    lost: posted.ackedAtMs.filter((ackedAtMs, message) => ackedAtMs > 0 && !times.has(message)).length,
    doubled: [...times.values()].filter((count) => count > 1).length,
  };
}

function countOverlaps(turns: readonly Turn[]): number {
  let count = 0;
  let busyUntilAtMs = 0;
  for (const { startedAtMs, endedAtMs } of turns) {
    if (startedAtMs < busyUntilAtMs) count += 1;
    busyUntilAtMs = Math.max(busyUntilAtMs, endedAtMs);
  }
  return count;
}

/** By what customers see: the order of replies, and of messages within each turn. */
function countSwaps(turns: readonly Turn[]): number {
  const replied = turns
    .flatMap(({ messages, replies }) => replies.map(({ startedAtMs }) => ({ startedAtMs, messages })))
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    .flatMap(({ messages }) => messages);
  // One that is doubled is counted as that.
  const order = [...new Set(replied)];
  return order.filter((message, at) => at > 0 && message < (order[at - 1] ?? 0)).length;
}

/** The window begins when a message arrives, and the first try to post it may have arrived. */
function isEarly({ messages, startedAtMs }: Turn, { posted, windowMs }: Run): boolean {
  const oldestAtMs = Math.min(...messages.map((message) => posted.firstAtMs[message] ?? 0));
  return startedAtMs < oldestAtMs + windowMs - CLOCK_MS;
}

/** Of a message that was posted again it is not known which try opened the window: the last one counts. */
function latenessOf({ messages, startedAtMs }: Turn, { posted, windowMs }: Run): number {
  const oldestAtMs = Math.min(...messages.map((message) => posted.sentAtMs[message] ?? 0));
  return startedAtMs - (oldestAtMs + windowMs);
}

function countMisdirected({ messages, replies }: Turn, { conversationOf }: Run): number {
  const customers = new Set(messages.map((message) => customerOf(conversationOf(message))));
  return replies.filter(({ to }) => customers.size !== 1 || !customers.has(to)).length;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
