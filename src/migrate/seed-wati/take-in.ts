import { settingsFor } from "../../core/projects.ts";
import type { Conversation, ConversationKey } from "../../model/conversation.ts";
import type { Arrival } from "../../model/message.ts";
import type { Settings } from "../../model/settings.ts";
import type { Engine, StageOutcome } from "../../ports/engine.ts";
import { type AgeLimit, isTooOld, TOO_OLD } from "../old-messages.ts";
import type { IdentifiedMessage, SeedCustomer } from "./customers.ts";
import {
  MARK,
  type MarkedRow,
  markOf,
  type Sorted,
  sortRows,
  withMoved,
  withMoving,
  writtenAs,
} from "./mark.ts";

/** Rows of one customer that are moved, and noted, at once. */
export const ROWS_AT_ONCE = 100;

export const UNCERTAIN =
  "it may have been answered before ids were remembered; --beyond-memory takes it in all the same";
const FULL =
  "as many wait in its conversation as may (limits.stagedMessagesMax): run it again when they are answered";
const BEHIND = "a message before it was refused";

/** A row that the channel can read, and the message that it makes of it. */
export interface MovableRow extends MarkedRow {
  readonly message: IdentifiedMessage;
  readonly arrival: Arrival;
}

interface Taking {
  readonly key: ConversationKey;
  readonly customer: SeedCustomer;
  readonly rows: readonly MovableRow[];
  readonly latest: Conversation | undefined;
}

interface LeftRow {
  readonly row: MovableRow;
  readonly why: string;
}

export interface TakenIn {
  readonly conversationId: string;
  readonly staged: number;
  readonly left: readonly LeftRow[];
}

/** Where rows are moved to. */
export interface Move extends AgeLimit {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly channel: string;
  /** Since when ids of messages are remembered; 0 if all of them shall count as remembered. */
  readonly knownSinceMs: number;
}

/** What has to be known to tell which rows may be moved. */
export type Sorting = AgeLimit & Pick<Move, "knownSinceMs">;

export interface SortedByAge extends Sorted {
  /** New, and too old. */
  readonly old: readonly string[];
}

/** The age is asked last: what was moved is known by its place among all rows, the old ones as well. */
export function sortByAge(
  sorting: Sorting,
  rows: readonly MarkedRow[],
  conversation: Conversation | undefined,
): SortedByAge {
  const { free, ...others } = sortRows(rows, conversation, sorting.knownSinceMs);
  const old = new Set(rows.flatMap(({ id, atMs }) => (isTooOld(sorting, atMs) ? [id] : [])));
  return {
    ...others,
    free: free.filter((id) => !old.has(id)),
    old: free.filter((id) => old.has(id)),
  };
}

/** Makes or finds the customer's conversation, and moves what may be moved, oldest first. */
export async function takeIn(move: Move, taking: Taking): Promise<TakenIn> {
  const { engine } = move;
  const { rows, latest } = taking;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = (ids: readonly string[]) => ids.map((id) => byId.get(id)!);
  const leave = (ids: readonly string[], why: string) => found(ids).map((row) => ({ row, why }));
  const isAwaited = latest && sortByAge(move, rows, latest).free.length > 0;
  let room = isAwaited ? await roomIn(move, latest.id) : ROWS_AT_ONCE;
  let standing = latest;
  for (let staged = 0, isFirst = true; ; isFirst = false) {
    const noted = await noteMoving(move, { ...taking, latest: standing }, room);
    const { conversation, chosen, sorted } = noted;
    const left = [...leave(sorted.uncertain, UNCERTAIN), ...leave(sorted.old, TOO_OLD.why)];
    const conversationId = conversation.id;
    if (isFirst) await addThread(engine, conversation, taking.customer);
    const behind = sorted.free.slice(chosen.length);
    if (chosen.length === 0) return { conversationId, staged, left: [...left, ...leave(behind, FULL)] };
    const outcomes = await engine.receiving.stage(found(chosen).map(({ arrival }) => ({ arrival })));
    const isDone = (_: string, at: number) => isThere(outcomes[at]!);
    await noteMoved(move, conversationId, rows, { tried: chosen, done: chosen.filter(isDone) });
    staged += outcomes.filter(({ kind }) => kind === "staged").length;
    const refused = chosen.flatMap((id, at) =>
      isThere(outcomes[at]!) ? [] : leave([id], reasonOf(outcomes[at]!)),
    );
    // What the customer wrote first is answered first: the rest waits with what was refused.
    if (refused.length > 0 || behind.length === 0)
      return { conversationId, staged, left: [...left, ...refused, ...leave(behind, BEHIND)] };
    standing = await engine.conversations.get(conversationId);
    room = await roomIn(move, conversationId);
  }
}

const isThere = ({ kind }: StageOutcome) => kind === "staged" || kind === "duplicate";

const reasonOf = (outcome: StageOutcome) =>
  outcome.kind === "refused" ? `refused: ${outcome.code}` : outcome.kind;

/** With one message more than there is room for, the customer would be told to send it again. */
async function roomIn({ engine, settings, channel }: Move, conversationId: string): Promise<number> {
  const detail = await engine.inspector.conversation(conversationId, { rowsMax: 1, bytesMax: 1 });
  const room = settingsFor(settings, channel).stagedMessagesMax - (detail?.lock?.staged ?? 0);
  return Math.min(ROWS_AT_ONCE, Math.max(0, room));
}

interface Noted {
  readonly conversation: Conversation;
  readonly chosen: readonly string[];
  readonly sorted: SortedByAge;
}

/**
 * Chooses what is moved next and notes that in the conversation, which is made where there is none. A thread
 * alone opens no second conversation where one was completed since. If another run or a webhook was quicker,
 * what it left is looked at.
 */
async function noteMoving(move: Move, { key, customer, rows, latest }: Taking, room: number): Promise<Noted> {
  const {
    engine: { conversations },
    clock,
  } = move;
  for (let conversation = latest; ; ) {
    const sorted = sortByAge(move, rows, conversation);
    const chosen = sorted.free.slice(0, room);
    const mark = () => writtenAs(withMoving(markOf(conversation), chosen, clock.nowMs()));
    if (!conversation || (conversation.taskComplete && chosen.length > 0)) {
      // Also that none was moved is noted: those that are too old are no less new for the next run.
      const attributes = { ...customer.attributes, ...(rows.length > 0 && { [MARK]: mark() }) };
      const made = await conversations.create({ ...key, attributes });
      if (made.created) return { conversation: made.conversation, chosen, sorted };
      conversation = made.conversation;
      continue;
    }
    if (chosen.length === 0) return { conversation, chosen, sorted };
    const change = { name: MARK, was: conversation.attributes[MARK], to: mark() };
    const outcome = await conversations.changeAttribute(conversation.id, change);
    if (outcome === "changed") return { conversation, chosen, sorted };
    conversation = await conversations.get(conversation.id);
  }
}

async function noteMoved(
  { engine: { conversations } }: Move,
  conversationId: string,
  rows: readonly MovableRow[],
  through: { readonly tried: readonly string[]; readonly done: readonly string[] },
): Promise<void> {
  for (;;) {
    const standing = await conversations.get(conversationId);
    // Erased meanwhile, and the mark with it.
    if (!standing) return;
    const to = writtenAs(withMoved(markOf(standing), rows, through));
    const change = { name: MARK, was: standing.attributes[MARK], to };
    if ((await conversations.changeAttribute(conversationId, change)) !== "stale") return;
  }
}

/** The ids of the customer's thread, where the conversation has none of its own. */
async function addThread(
  { conversations }: Engine,
  { id, attributes }: Conversation,
  customer: SeedCustomer,
): Promise<void> {
  for (const [name, to] of Object.entries(customer.attributes))
    if (attributes[name] === undefined) await conversations.changeAttribute(id, { name, was: undefined, to });
}
