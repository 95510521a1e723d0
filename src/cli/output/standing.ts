import type { FailingReason, Kept, Standing } from "../../core/standing.ts";
import { counted } from "./counted.ts";
import { nextStep } from "./next-step.ts";
import { oneLine } from "./table.ts";
import { relativeTime, since } from "./times.ts";

const REASON_MAX = 100;

type Line = readonly [label: string, text: string];

/** What waits in all. `isCut`: not all of it was looked at, and one of the rest may be due before. */
export function waitingShown(messages: number, standing: Standing, isCut: boolean, nowMs: number): string {
  if (messages === 0) return "nothing";
  const { waiting, oldestDueAtMs } = standing;
  const inAll = `${counted(messages, "message")} in ${counted(waiting, "conversation")}`;
  if (isCut) return `${inAll} or more`;
  return oldestDueAtMs === undefined
    ? inAll
    : `${inAll}; the first is due ${relativeTime(oldestDueAtMs, nowMs)}`;
}

/** What is not answered because people said so, and how they go on. */
export function pauseLines({ paused, pausedProjects }: Standing): Line[] {
  return [
    ...pausedProjects.map(
      ({ project, messages }): Line => [
        "paused",
        `project ${project} (${waits(messages)}): lull projects resume ${project}`,
      ],
    ),
    ...pausedOnes(paused),
  ];
}

function waits(messages: number): string {
  return messages === 0
    ? "nothing waits"
    : `${counted(messages, "message")} ${messages === 1 ? "waits" : "wait"}`;
}

function pausedOnes({ conversations, messages }: Kept): Line[] {
  if (conversations === 0) return [];
  const are = conversations === 1 ? "is" : "are";
  const those = `${counted(conversations, "conversation")} (${waits(messages)})`;
  return [["paused", `${those} ${are} paused: lull conversations resume <id>`]];
}

/** What is tried, and does not go on. */
export function troubleLines({ failing, elsewhere }: Standing, nowMs: number): Line[] {
  const { conversations, sinceAtMs } = elsewhere;
  const from = sinceAtMs === undefined ? "" : `, ${since(sinceAtMs, nowMs)}`;
  return [
    ...failing.flatMap((reason) => failingLines(reason, nowMs)),
    ...(conversations === 0
      ? []
      : [["elsewhere", `${counted(conversations, "conversation")}${from}: lull locks`] as const]),
  ];
}

function failingLines({ reason, conversations, sinceAtMs, againAtMs }: FailingReason, nowMs: number): Line[] {
  const parts = [
    `${counted(conversations, "conversation")} wait${conversations === 1 ? "s" : ""}`,
    sinceAtMs !== undefined && since(sinceAtMs, nowMs),
    againAtMs !== undefined && `tried again ${relativeTime(againAtMs, nowMs)}`,
  ];
  const step = nextStep(reason);
  return [
    ["failing", oneLine(reason, REASON_MAX)],
    ["", parts.filter(Boolean).join(", ")],
    ...(step === undefined ? [] : [["", step] as const]),
  ];
}
