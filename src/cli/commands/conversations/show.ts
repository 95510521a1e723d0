import { addresseeOf } from "../../../core/addressee.ts";
import type { KeptBack } from "../../../core/pause.ts";
import { projectAt, projectsInUse } from "../../../core/projects.ts";
import { keptBackBy } from "../../../core/standing.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { Settings } from "../../../model/settings.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { Engine } from "../../../ports/engine.ts";
import type { ConversationDetail, LockRecord, QuarantinedRow } from "../../../ports/inspector.ts";
import { conversationLike } from "../../by-prefix.ts";
import { type Command, countOption } from "../../command.ts";
import { type Opened, withData } from "../../data.ts";
import { ALL_PAUSED, pausesNow, wayBack } from "../../kept-back.ts";
import { mutesOf } from "../../muted-projects.ts";
import { attributesShown } from "../../output/attributes.ts";
import { tableHeads } from "../../output/colour.ts";
import { statusShown } from "../../output/conversation-status.ts";
import { counted } from "../../output/counted.ts";
import { customerOf, nameShown } from "../../output/customer.ts";
import { elsewhereShown } from "../../output/elsewhere.ts";
import { printJson } from "../../output/print.ts";
import { projectRules, recordRules } from "../../output/record-rules.ts";
import { refusalNotes } from "../../output/refusal-causes.ts";
import { oneLine, table } from "../../output/table.ts";
import { relativeTime } from "../../output/times.ts";
import { wrapped } from "../../output/wrapped.ts";
import { CommandFailed } from "../../usage-error.ts";
import { flagsOf } from "./list.ts";
import { failingNow, unanswered } from "./unanswered.ts";

const TEXT_MAX = 100;
/** Rows in quarantine that are looked at. */
const SET_ASIDE_MAX = 500;

export const show: Command = {
  usage: "<id> [options]",
  about: "One conversation: what was said, its turns, why messages got no answer, and what waits now.",
  options: { last: { type: "string", value: "N", help: "the last N messages, turns and refusals (20)" } },
  args: { required: ["<id>"] },
  run: async (call) => {
    const [given] = call.args as [string];
    const last = countOption(call, "last", 20);
    return withData(call, async (opened) => {
      const { engine } = opened;
      const id = await conversationLike(engine, given);
      const detail = await engine.inspector.conversation(id);
      if (!detail) throw new CommandFailed(`there is no conversation ${id}`);
      if (call.json) printJson(call, detail);
      else {
        const parts = describe(await shownOf(opened, detail), last, call.io.nowMs());
        call.io.out(parts.map((part) => within(part, call.io.columns)).join("\n"), tableHeads);
      }
      return 0;
    });
  },
};

/** All that is told of one conversation. */
interface Shown {
  readonly detail: ConversationDetail;
  readonly settings: Settings;
  readonly introduction: readonly string[];
  readonly keptBack: KeptBack | undefined;
  readonly setAside: readonly QuarantinedRow[];
}

async function shownOf(opened: Opened, detail: ConversationDetail): Promise<Shown> {
  const { engine, lull } = opened;
  const { conversation } = detail;
  const { settings } = lull;
  const [introduction, pauses, setAside] = await Promise.all([
    introduced(opened, detail),
    pausesNow({ engine, lull }),
    setAsideOf(engine, conversation.id),
  ]);
  const keptBack = keptBackBy(conversation, detail.lock, pauses, settings);
  return { detail, settings, introduction, keptBack, setAside };
}

/** Of the latest rows that were set aside: mostly there are none, and none is much. */
async function setAsideOf({ inspector }: Engine, id: string): Promise<QuarantinedRow[]> {
  const { items } = await inspector.quarantined({ limit: SET_ASIDE_MAX });
  return items.filter(({ conversationId }) => conversationId === id);
}

async function introduced({ engine, lull }: Opened, detail: ConversationDetail): Promise<string[]> {
  const { conversation } = detail;
  const { settings } = lull;
  const whom = await customerOf(engine, conversation);
  const at = projectAt(settings, conversation);
  const project = projectsInUse(settings).length > 1 ? at : undefined;
  const rule = (await lull.projects()).find(({ name }) => name === at);
  return [
    `${typeShown(conversation, settings)}: ${whom} writes to ${conversation.address}`,
    ...(project === undefined ? [] : [`in project ${project}`]),
    ...(await reachedAt(engine, detail)),
    ...(rule ? projectRules(rule.name, mutesOf(rule, settings)) : []),
    ...recordRules(conversation),
  ];
}

/** Another system's record need not say its type; where all channels are of one, it is of that. */
function typeShown({ channelType }: Conversation, { channels }: Settings): string {
  const types = new Set(Object.values(channels).map(({ type }) => type));
  const only = types.size === 1 ? [...types][0] : undefined;
  return channelType || only || "(no channel type)";
}

/** Told only if it is not what the conversation is called by. */
async function reachedAt({ inspector }: Engine, { conversation }: ConversationDetail): Promise<string[]> {
  const addressee = addresseeOf(conversation, await inspector.names(conversation));
  if (addressee === conversation.sender) return [];
  return addressee === undefined
    ? ["its number has passed on to another person: nothing is sent here"]
    : [`now written to at ${nameShown(addressee)}`];
}

/** Tables are left as they are. What follows a line's first words stands below them. */
function within(part: string, columns: number | undefined): string {
  const indent = part.length - part.trimStart().length + 2;
  return part.includes("\n") ? part : wrapped(part, indent, columns);
}

function statusAndFlags({ conversation, unknown }: Shown["detail"]): string {
  const status = statusShown(conversation, unknown.length > 0);
  return [status, flagsOf(conversation)].filter(Boolean).join(", ");
}

function describe(shown: Shown, last: number, nowMs: number): string[] {
  const { detail, keptBack, setAside } = shown;
  const { conversation, lock } = detail;
  return [
    ...(keptBack?.by === "all-paused" ? [`${ALL_PAUSED}\n`] : []),
    `${conversation.id}  ${statusAndFlags(detail)}`,
    ...shown.introduction,
    `${created(conversation, nowMs)}${counted(conversation.totalTokens, "token")}`,
    ...(conversation.handOffReason === undefined
      ? []
      : [`handed off: ${oneLine(conversation.handOffReason, TEXT_MAX)}`]),
    ...(conversation.handedOff ? [`to give it back: lull conversations hand-back ${conversation.id}`] : []),
    ...(keptBack && keptBack.by !== "all-paused" ? [wayBack(keptBack, conversation)] : []),
    ...(lock ? waiting(lock, shown, nowMs) : []),
    ...(lock?.failing ? failingNow(lock.failing, keptBack !== undefined, nowMs) : []),
    ...unanswered(detail, setAside, last, nowMs),
    ...messages(detail, last, nowMs),
    ...staged(detail, nowMs),
    ...turns(detail.turns.slice(-last), nowMs),
    ...refusals(detail.refusals.slice(-last), nowMs),
    ...section("Attributes", attributesShown(conversation.attributes)),
  ];
}

/** Another system's record need not say since when it is there. */
function created({ createdAtMs }: Conversation, nowMs: number): string {
  return createdAtMs === 0 ? "" : `created ${relativeTime(createdAtMs, nowMs)}, `;
}

function waiting(lock: LockRecord, { keptBack, settings }: Shown, nowMs: number): string[] {
  const { window, lease, elsewhere, staged, attempts, draft } = lock;
  const parts = [
    `${staged} staged`,
    // What is kept back is not late.
    window && !keptBack && `due ${relativeTime(window.dueAtMs, nowMs)}`,
    lease && `held by ${lease.holder} since ${relativeTime(lease.takenAtMs, nowMs)}`,
    attempts > 0 && `attempt ${attempts}`,
    draft && "answer drafted",
  ];
  const now = `now: ${parts.filter(Boolean).join(", ")}`;
  return elsewhere ? [now, elsewhereShown(elsewhere.sinceAtMs, settings, nowMs)] : [now];
}

function staged({ staged: kept }: ConversationDetail, nowMs: number): string[] {
  const rows = kept.map((m) => [relativeTime(m.arrivedAtMs, nowMs), oneLine(m.text, TEXT_MAX)]);
  return section("Staged", rows);
}

function refusals(records: readonly Refusal[], nowMs: number): string[] {
  const rows = records.map((r) => [relativeTime(r.atMs, nowMs), r.code, oneLine(r.messageId, TEXT_MAX)]);
  return [...section("Refused", rows), ...refusalNotes(records.map(({ code }) => code))];
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
