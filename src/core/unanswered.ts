import type { DeadLetter } from "../model/dead-letter.ts";
import type { HistoryMessage } from "../model/history.ts";
import { mergeTexts } from "./batch.ts";
import { saidText, wentOut } from "./draft.ts";
import { partOf } from "./turn.ts";

/** Of the latest dead letters of a conversation: it has more only if no operator looks after them. */
export const UNANSWERED_MAX = 20;

/** What was said before, and between it what became a dead letter, each where its first message arrived. */
export function withUnanswered(
  history: readonly HistoryMessage[],
  letters: readonly DeadLetter[],
): HistoryMessage[] {
  const all = [...history];
  for (const letter of letters) {
    const said = saidIn(letter);
    if (said[0]) all.splice(placeOf(said[0].atMs, all), 0, ...said);
  }
  return all;
}

/** Before the first turn that began later. What belongs to one turn stays together. */
function placeOf(atMs: number, history: readonly HistoryMessage[]): number {
  const later = history.findIndex((each, at) => each.atMs > atMs && each.turnId !== history[at - 1]?.turnId);
  return later === -1 ? history.length : later;
}

/** The customer's words; and of a reply what went out, or may have: then they are not unanswered. */
function saidIn({ id: turnId, messages, draft, replySent, atMs }: DeadLetter): HistoryMessage[] {
  const said: HistoryMessage[] = [];
  if (messages.length > 0)
    said.push({
      role: "user",
      text: mergeTexts(messages),
      media: messages.flatMap(({ media }) => media),
      atMs: Math.min(...messages.map(({ arrivedAtMs }) => arrivedAtMs)),
      turnId,
      parts: messages.map(partOf),
      ...(replySent === "none" && { unanswered: true }),
    });
  const out = draft?.chunks.filter(wentOut) ?? [];
  if (draft && out.length > 0)
    said.push({
      role: "assistant",
      text: saidText(draft),
      media: out.flatMap(({ media = [] }) => media),
      atMs,
      turnId,
      ...(draft.author !== undefined && { author: draft.author }),
    });
  return said;
}
