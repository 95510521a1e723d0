import { addresseeOf } from "../../../core/addressee.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { Engine } from "../../../ports/engine.ts";
import type { ConversationDetail, LockRecord } from "../../../ports/inspector.ts";
import { conversationLike } from "../../by-prefix.ts";
import { type Command, countOption } from "../../command.ts";
import { withData } from "../../data.ts";
import { counted } from "../../output/counted.ts";
import { customerOf, nameShown } from "../../output/customer.ts";
import { printJson } from "../../output/print.ts";
import { oneLine, table } from "../../output/table.ts";
import { relativeTime } from "../../output/times.ts";
import { CommandFailed } from "../../usage-error.ts";
import { flagsOf } from "./list.ts";
import { failingNow, unanswered } from "./unanswered.ts";

const TEXT_MAX = 100;

export const show: Command = {
  usage: "<id> [options]",
  about: "One conversation: what was said, its turns, why messages got no answer, and what waits now.",
  options: { last: { type: "string", value: "N", help: "the last N messages, turns and refusals (20)" } },
  args: { required: ["<id>"] },
  run: async (call) => {
    const [given] = call.args as [string];
    const last = countOption(call, "last", 20);
    return withData(call, async ({ engine }) => {
      const id = await conversationLike(engine, given);
      const detail = await engine.inspector.conversation(id);
      if (!detail) throw new CommandFailed(`there is no conversation ${id}`);
      if (call.json) printJson(call, detail);
      else call.io.out(describe(detail, await introduced(engine, detail), last, call.io.nowMs()));
      return 0;
    });
  },
};

async function introduced(engine: Engine, detail: ConversationDetail): Promise<string[]> {
  const { conversation } = detail;
  const whom = await customerOf(engine, conversation);
  return [
    `${conversation.channelType}: ${whom} writes to ${conversation.address}`,
    ...(await reachedAt(engine, detail)),
  ];
}

/** Told only if it is not what the conversation is called by. */
async function reachedAt({ inspector }: Engine, { conversation }: ConversationDetail): Promise<string[]> {
  const addressee = addresseeOf(conversation, await inspector.names(conversation));
  if (addressee === conversation.sender) return [];
  return addressee === undefined
    ? ["its number has passed on to another person: nothing is sent here"]
    : [`now written to at ${nameShown(addressee)}`];
}

function describe(
  detail: ConversationDetail,
  introduction: readonly string[],
  last: number,
  nowMs: number,
): string {
  const { conversation, lock } = detail;
  const parts = [
    `${conversation.id}  ${[conversation.status, flagsOf(conversation)].filter(Boolean).join(", ")}`,
    ...introduction,
    `created ${relativeTime(conversation.createdAtMs, nowMs)}, ${conversation.totalTokens} tokens`,
    ...(conversation.handOffReason === undefined
      ? []
      : [`handed off: ${oneLine(conversation.handOffReason, TEXT_MAX)}`]),
    ...(lock ? [waiting(lock, nowMs)] : []),
    ...(lock?.failing ? failingNow(lock.failing, nowMs) : []),
    ...unanswered(detail, last, nowMs),
    ...messages(detail, last, nowMs),
    ...section(
      "Staged",
      detail.staged.map((m) => [relativeTime(m.arrivedAtMs, nowMs), oneLine(m.text, TEXT_MAX)]),
    ),
    ...turns(detail.turns.slice(-last), nowMs),
    ...section(
      "Refused",
      detail.refusals
        .slice(-last)
        .map((r) => [relativeTime(r.atMs, nowMs), r.code, oneLine(r.messageId, TEXT_MAX)]),
    ),
  ];
  return parts.join("\n");
}

function waiting({ window, lease, elsewhere, staged, attempts, draft }: LockRecord, nowMs: number): string {
  const parts = [
    `${staged} staged`,
    window && `due ${relativeTime(window.dueAtMs, nowMs)}`,
    lease && `held by ${lease.holder} since ${relativeTime(lease.takenAtMs, nowMs)}`,
    elsewhere && `waits for another system since ${relativeTime(elsewhere.sinceAtMs, nowMs)}`,
    attempts > 0 && `attempt ${attempts}`,
    draft && "answer drafted",
  ];
  return `now: ${parts.filter(Boolean).join(", ")}`;
}

function messages(detail: ConversationDetail, last: number, nowMs: number): string[] {
  const rows = detail.messages
    .slice(-last)
    .map(({ role, author, text, media, atMs }) => [
      relativeTime(atMs, nowMs),
      role === "user" ? "customer" : (author ?? "assistant"),
      oneLine([text, ...media.map(({ contentType }) => `(${contentType})`)].join(" "), TEXT_MAX),
    ]);
  return section("Messages", rows);
}

function turns(records: readonly TurnRecord[], nowMs: number): string[] {
  const rows = records.map((turn) => [
    relativeTime(turn.committedAtMs, nowMs),
    turn.outcome,
    counted(turn.messageIds.length, "message"),
    counted(turn.attempts, "attempt"),
    `${((turn.committedAtMs - turn.dueAtMs) / 1_000).toFixed(1)} s after due`,
    turn.turnId,
  ]);
  return section("Turns", rows);
}

function section(title: string, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map((row) => row.length));
  const head = [title, ...Array<string>(width - 1).fill("")];
  return ["", table(head, rows)];
}
