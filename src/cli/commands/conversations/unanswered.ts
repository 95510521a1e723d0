import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { Failing } from "../../../model/turn.ts";
import type { UnknownSend } from "../../../model/unknown-send.ts";
import type { ConversationDetail } from "../../../ports/inspector.ts";
import { counted } from "../../output/counted.ts";
import { letterLines } from "../../output/dead-letter.ts";
import { oneLine } from "../../output/table.ts";
import { relativeTime } from "../../output/times.ts";

const TEXT_MAX = 100;

/** What of a conversation has no answer, why, and the command that helps. */
export function unanswered(
  { dead, unknown }: Pick<ConversationDetail, "dead" | "unknown">,
  last: number,
  nowMs: number,
): string[] {
  return [
    ...part("NO ANSWER", dead.slice(-last), (letter) => deadLetter(letter, nowMs)),
    ...part("MAY NOT HAVE ARRIVED", unknown.slice(-last), (send) => unknownSend(send, nowMs)),
  ];
}

/** The turn that waits, and fails. */
export function failingNow({ reason, tries, sinceAtMs, againAtMs }: Failing, nowMs: number): string[] {
  const parts = [
    `${counted(tries, "try", "tries")} failed`,
    sinceAtMs !== undefined && `since ${relativeTime(sinceAtMs, nowMs)}`,
    againAtMs === undefined ? "tried again now" : `tried again ${relativeTime(againAtMs, nowMs)}`,
  ];
  return [`failing: ${oneLine(reason, TEXT_MAX)}`, `         ${parts.filter(Boolean).join(", ")}`];
}

function part<T>(title: string, records: readonly T[], lines: (record: T) => string[]): string[] {
  return records.length === 0 ? [] : ["", title, ...records.flatMap(lines)];
}

function deadLetter(letter: DeadLetter, nowMs: number): string[] {
  return [
    relativeTime(letter.atMs, nowMs),
    ...letterLines(letter),
    `  once that is put right: lull dead retry ${letter.id}`,
  ];
}

function unknownSend({ id, text, atMs }: UnknownSend, nowMs: number): string[] {
  return [
    `${relativeTime(atMs, nowMs)}, the provider did not say: ${oneLine(text, TEXT_MAX)}`,
    `  ask the customer or the provider, then: lull unknown resend ${id}, or lull unknown mark ${id} sent`,
  ];
}
