import type { Experience } from "./customer.ts";

export interface Summary {
  readonly customers: number;
  readonly messagesSent: number;
  readonly messagesAcknowledged: number;
  readonly customersAnswered: number;
  readonly turns: number;
  readonly replies: number;
  readonly acknowledgementMs: Spread;
  /** From the closing of the window to the committed turn. */
  readonly latencyOverWindowMs: Spread;
}

export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export function summarize(experiences: readonly Experience[]): Summary {
  const sum = (of: (experience: Experience) => number) =>
    experiences.reduce((total, each) => total + of(each), 0);
  return {
    customers: experiences.length,
    messagesSent: sum(({ sent }) => sent),
    messagesAcknowledged: sum(({ acknowledgedMs }) => acknowledgedMs.length),
    customersAnswered: experiences.filter(({ answered }) => answered).length,
    turns: sum(({ turns }) => turns.length),
    replies: sum(({ replies }) => replies),
    acknowledgementMs: spread(experiences.flatMap(({ acknowledgedMs }) => acknowledgedMs)),
    latencyOverWindowMs: spread(
      experiences.flatMap(({ turns }) => turns.map(({ afterDueMs }) => afterDueMs)),
    ),
  };
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** All that was sent was acknowledged and answered. */
export function allWell({
  messagesSent,
  messagesAcknowledged,
  customers,
  customersAnswered,
}: Summary): boolean {
  return messagesSent === messagesAcknowledged && customers === customersAnswered;
}

export function describe(summary: Summary): string {
  const { acknowledgementMs: ack, latencyOverWindowMs: late } = summary;
  return [
    `messages      ${summary.messagesAcknowledged} of ${summary.messagesSent} acknowledged`,
    `customers     ${summary.customersAnswered} of ${summary.customers} answered`,
    `turns         ${summary.turns}, with ${summary.replies} replies`,
    `acknowledged  in ${ack.p50} ms (p50), ${ack.p95} ms (p95), ${ack.max} ms at most`,
    `answered      ${late.p50} ms after the window (p50), ${late.p95} ms (p95), ${late.max} ms at most`,
  ].join("\n");
}
