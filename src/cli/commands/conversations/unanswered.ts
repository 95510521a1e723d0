import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { Failing, TurnRecord } from "../../../model/turn.ts";
import type { UnknownSend } from "../../../model/unknown-send.ts";
import type { ConversationDetail, QuarantinedRow } from "../../../ports/inspector.ts";
import { counted } from "../../output/counted.ts";
import { letterLines } from "../../output/dead-letter.ts";
import { nextStep } from "../../output/next-step.ts";
import { refusalCause } from "../../output/refusal-causes.ts";
import { setAsideLines } from "../../output/set-aside.ts";
import { oneLine } from "../../output/table.ts";
import { relativeTime, since } from "../../output/times.ts";

const TEXT_MAX = 100;

type Detail = Pick<ConversationDetail, "dead" | "unknown" | "turns" | "messages">;

/** What of a conversation has no answer, why, and the command that helps. */
export function unanswered(
  detail: Detail,
  setAside: readonly QuarantinedRow[],
  last: number,
  nowMs: number,
): string[] {
  const refused = detail.turns.filter(({ outcome }) => outcome.startsWith(REFUSED));
  return [
    ...part("NO ANSWER", [
      ...detail.dead.slice(-last).flatMap((letter) => deadLetter(letter, nowMs)),
      ...refused.slice(-last).flatMap((turn) => refusedTurn(turn, detail, nowMs)),
      ...setAside.slice(0, last).flatMap((row) => setAsideLines(row, nowMs)),
    ]),
    ...part(
      "MAY NOT HAVE ARRIVED",
      detail.unknown.slice(-last).flatMap((send) => unknownSend(send, nowMs)),
    ),
  ];
}

/** The turn that waits, and fails. What is kept back is not tried before it goes on. */
export function failingNow(failing: Failing, isKeptBack: boolean, nowMs: number): string[] {
  const { reason, tries, sinceAtMs, againAtMs } = failing;
  const again = againAtMs === undefined ? "tried again now" : `tried again ${relativeTime(againAtMs, nowMs)}`;
  const parts = [
    `${counted(tries, "try", "tries")} failed`,
    sinceAtMs !== undefined && since(sinceAtMs, nowMs),
    !isKeptBack && again,
    nextStep(reason),
  ];
  return [`failing: ${oneLine(reason, TEXT_MAX)}`, `         ${parts.filter(Boolean).join(", ")}`];
}

function part(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

const REFUSED = "refused: ";

/** Refused when its turn came, not when it came in: so it is no refusal of a message, but of a turn. */
function refusedTurn(turn: TurnRecord, { messages }: Detail, nowMs: number): string[] {
  const { turnId, outcome, committedAtMs } = turn;
  const wrote = messages.filter((each) => each.turnId === turnId && each.role === "user");
  const cause = refusalCause(outcome.slice(REFUSED.length));
  return [
    `${relativeTime(committedAtMs, nowMs)}, ${outcome}`,
    ...wrote.map(({ text }) => `  wrote: ${oneLine(text, TEXT_MAX) || "(no text)"}`),
    ...(cause === undefined ? [] : [`  ${cause}`]),
  ];
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
