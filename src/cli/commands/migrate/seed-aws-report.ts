import type { AwsMoved } from "../../../migrate/seed-aws/move.ts";
import type { Lacking } from "../../../ports/seed-tables.ts";
import type { Call } from "../../command.ts";
import { printResult } from "../../output/print.ts";
import { wrapped } from "../../output/wrapped.ts";
import { inWords } from "./migration.ts";

/** What stood in the way, what was put right, and what became of the rows. */
export interface Reported {
  readonly isApplied: boolean;
  /** What the caller has to say or to put right. */
  readonly needs: readonly string[];
  readonly made: readonly Lacking[];
  readonly lacks: readonly Lacking[];
  readonly moved: AwsMoved;
  /** What will be different from the system before. */
  readonly notes: readonly string[];
}

/** No row was touched. Returns the exit code. */
export function refuse(
  call: Call,
  { needs, made, lacks }: Pick<Reported, "needs" | "made" | "lacks">,
): number {
  const canBeAdded = lacks.some(({ command, canWait }) => command !== undefined && !canWait);
  const advice = canBeAdded ? " Add what is missing with --apply --create, or with the commands." : "";
  const lines = [...needs, ...madeInWords(made), ...lacksInWords(lacks)];
  const result = { dryRun: false, needs, made, lacks };
  printResult(call, result, [...lines, "", `Nothing was moved.${advice}`].join("\n"));
  return 1;
}

export function report(call: Call, { isApplied, needs, made, lacks, moved, notes }: Reported): number {
  const young = moved.messages.young + moved.conversations.young;
  const lines = [countsInWords(moved, isApplied)];
  // Names first: what is missing by its name may only be mistyped.
  if (needs.length > 0) lines.push("", ...needs);
  if (made.length > 0) lines.push("", ...madeInWords(made));
  if (lacks.length > 0) lines.push("", ...lacksInWords(lacks));
  if (young > 0) lines.push("", `${young} ${YOUNG}`);
  if (notes.length > 0) lines.push("", ...notes.map((note) => wrapped(note, 2, call.io.columns)));
  if (!isApplied) lines.push("", `Nothing was changed. ${adviceFor(needs, lacks)}`);
  printResult(call, { dryRun: !isApplied, needs, made, lacks, notes, ...moved }, lines.join("\n"));
  return isApplied && moved.left.length + young > 0 ? 1 : 0;
}

const YOUNG =
  "are younger than --older-than, do not say how old, or are in the other system's hands: " +
  "stop it, then --older-than 0s.";

function adviceFor(needs: readonly string[], lacks: readonly Lacking[]): string {
  if (needs.length > 0) return "Before --apply, see to what is needed.";
  return lacks.some(({ command }) => command !== undefined)
    ? "To do it: --apply --create, or the commands and then --apply"
    : "To do it: --apply";
}

function madeInWords(made: readonly Lacking[]): string[] {
  return made.map(({ table, what, done = `${table} ${what}: done` }) => done);
}

/** Commands to be pasted, and between them comments: a shell reads these lines, too. */
function lacksInWords(lacks: readonly Lacking[]): string[] {
  return lacks.map(({ table, what, variable, command }) => {
    const named = variable === undefined ? "" : ` (its name is ${variable})`;
    return `# ${table} ${what}${named}${command === undefined ? ": use another table" : `\n${command}`}`;
  });
}

function countsInWords({ messages, locks, conversations, left }: AwsMoved, isApplied: boolean): string {
  const verb = isApplied ? "" : "would be ";
  // Which are here already, and how many may wait in a conversation, is looked at when they are moved.
  const most = isApplied ? "" : ", at most";
  return inWords(
    [
      ["staged messages found", messages.found],
      [`messages ${verb}moved${most}`, messages.moved],
      ["messages that were here before", messages.duplicates],
      ["messages that the other system took meanwhile", messages.gone],
      ["messages left: young, of unknown age, or in the other system's hands", messages.young],
      ["trigger locks found", locks.found],
      [`locks ${verb}removed`, locks.removed],
      ["locks left: they have not expired", locks.standing],
      ["conversations", conversations.found],
      ["of them with an OpenAI thread id (kept, see docs/moving-in.md)", conversations.threads],
      ["of them in processing_reply", conversations.stuck],
      [`conversations ${verb}put to rest`, conversations.rested],
      ["conversations left: the other system may be at work there", conversations.young],
      ["conversations that a worker of Lull has", conversations.busy],
      ["rows left", left.length],
    ],
    {
      head: ["table", "conversation", "message_sid", "why"],
      rows: left.map(({ table, conversationId, messageSid = "", why }) => [
        table,
        conversationId,
        messageSid,
        why,
      ]),
    },
  );
}
