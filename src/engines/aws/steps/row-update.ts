import { isDeepStrictEqual } from "node:util";
import { providerIdsOf } from "../../../core/draft.ts";
import { changeByTurn, type FinishedTurn } from "../../../core/turn.ts";
import type { Usage } from "../../../model/reply.ts";
import type { AwsContext } from "../context.ts";
import { all, type Change, type Condition, type Item, present } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { changeOf, listedAs, rowKey, tokensOf, totalName } from "../items/conversation-item.ts";
import { rowSenderAt } from "../items/conversation-row.ts";
import { mirroredEntries } from "../items/message-item.ts";
import type { Stored } from "../items/state-item.ts";
import { mirroredIn } from "./mirror.ts";

/** What a turn changes in the conversation's row, and what to try instead if that can never be written. */
export interface RowUpdate {
  readonly action: Action;
  /** What of the turn it leaves out. */
  readonly lacks?: string;
  readonly instead: () => Promise<RowUpdate | undefined>;
  /** What to write to the row as it stands, if its condition was refused. Undefined if the row is gone. */
  readonly onto: (standing: Item | undefined) => RowUpdate | undefined;
}

/** How often the messages in the row may change while a commit rewrites them. */
const MIRROR_TRIES_MAX = 5;

/**
 * Single attributes of the row: its other owner may have rewritten the rest while the turn ran. The row may
 * also hold invalid counters, or have no room: then less is written, and in the end nothing.
 */
export async function rowUpdate(
  context: AwsContext,
  stored: Stored,
  turn: FinishedTurn,
): Promise<RowUpdate | undefined> {
  const { recordId } = turn.work;
  const sender = stored.sender ?? (await rowSenderAt(context, recordId));
  if (sender === undefined) return undefined;
  const key = rowKey(sender, recordId);
  const said = saidBy(stored, turn);
  const plain = (lacks?: string) => withoutMirror(context, key, said, lacks);
  const mirroring = (row: Item, triesLeft: number): RowUpdate => {
    // What stands there is known: a count that cannot be added to does not cost the list.
    const { change, lost } = countedIn(row, said);
    const mirrored = mirroredIn(context, row, turn, change.set ?? {});
    if (!mirrored) return plain(MESSAGES);
    const { messages, condition } = mirrored;
    return {
      action: updateOf(key, { ...change, set: { ...change.set, messages } }, condition),
      ...(lost.length > 0 && { lacks: lost.join(", ") }),
      instead: async () => plain(MESSAGES),
      // Its owner added to the list, or rewrote it. If it reads the same, it holds what cannot be compared.
      onto: (standing) => {
        if (!standing) return undefined;
        const isOther = triesLeft > 0 && !isDeepStrictEqual(standing.messages, row.messages);
        return isOther ? mirroring(standing, triesLeft - 1) : plain(MESSAGES);
      },
    };
  };
  const isMirroring = context.settings.mirrorMessages > 0 && mirroredEntries(turn).length > 0;
  const row = isMirroring ? await context.store.get("conversations", key) : undefined;
  return row ? mirroring(row, MIRROR_TRIES_MAX) : plain();
}

const MESSAGES = "messages";

function updateOf(key: Item, change: Change, condition?: Condition): Action {
  const isThere = present("conversation_id");
  return {
    kind: "update",
    table: "conversations",
    key,
    change,
    condition: condition ? all(isThere, condition) : isThere,
  };
}

function withoutMirror(context: AwsContext, key: Item, said: Said, lacking?: string): RowUpdate {
  const { whole, least } = said;
  const update = (change: Change, instead: RowUpdate["instead"], lacks?: string): RowUpdate => ({
    action: updateOf(key, change),
    instead,
    onto: () => undefined,
    ...(lacks && { lacks }),
  });
  return update(
    whole,
    async () => {
      const last = update({ set: least }, async () => undefined, "all but the status");
      const row = await context.store.get("conversations", key);
      const { change, lost } = row ? countedIn(row, said) : { change: whole, lost: [] };
      if (change === whole) return last;
      const lacks = [...(lacking ? [lacking] : []), ...lost].join(", ");
      return update(change, async () => last, lacks);
    },
    lacking,
  );
}

/** Beyond it a number was rounded when it was read, or the sum would be: no tokens were ever so many. */
const isCounter = (value: unknown) => value === undefined || Number.isSafeInteger(value);

/** NULL means that nothing was counted yet. A total that is no count is its owner's. */
function isCountable(row: Item, name: string): boolean {
  const total = row[totalName(name)];
  return total === null || isCounter(total);
}

/** What a total goes on from: 0.1.0 kept it under the name of the last reply's count. */
function startOf(row: Item, name: string): unknown {
  const total = row[totalName(name)];
  return total === undefined ? row[name] : total;
}

type Counts = Readonly<Record<string, number>>;

function totals(tokens: Counts): NonNullable<Change["sum"]> {
  return Object.fromEntries(Object.entries(tokens).map(([from, plus]) => [totalName(from), { plus, from }]));
}

const NO_TOKENS: Usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** The turn's change as this row can take it, and the totals that it then leaves out. */
function countedIn(row: Item, { whole, tokens }: Said): { readonly change: Change; readonly lost: string[] } {
  const names = Object.keys(tokens);
  if (names.every((name) => isCounter(startOf(row, name)))) return { change: whole, lost: [] };
  const lost = names.filter((name) => !isCountable(row, name));
  return { change: counting(whole, row, tokens), lost: lost.map(totalName) };
}

/** A total starts anew where there is no count to go on from. */
function counting({ sum: _, ...whole }: Change, row: Item, tokens: Counts): Change {
  const countable = Object.entries(tokens).filter(([name]) => isCountable(row, name));
  const sums = countable.map(([name, count]) => {
    const start = startOf(row, name);
    return [totalName(name), (Number.isSafeInteger(start) ? (start as number) : 0) + count];
  });
  return { ...whole, set: { ...whole.set, ...Object.fromEntries(sums) } };
}

/** What other systems rely on. */
function leastOf({ statusBefore }: Stored, { commit, nowMs }: FinishedTurn): Item {
  const { handOffReason: _, ...least } = changeByTurn(commit);
  return {
    ...(statusBefore !== undefined && { conversation_status: statusBefore }),
    ...changeOf(least, nowMs),
  };
}

/** All that a turn says in the row, the least of it, and what it adds to the totals. */
interface Said {
  readonly whole: Change;
  readonly least: Item;
  readonly tokens: Counts;
}

function saidBy(stored: Stored, turn: FinishedTurn): Said {
  const { work, commit, draft, nowMs } = turn;
  const lastSid = draft && providerIdsOf(draft).at(-1);
  const least = leastOf(stored, turn);
  const { last, tokens } = countsOf(commit.usage, lastSid !== undefined);
  const set = {
    ...least,
    ...changeOf(changeByTurn(commit), nowMs),
    ...(lastSid !== undefined && { last_assistant_message_sid: lastSid }),
    ...last,
    initial_processing_time_ms: nowMs - work.takenAtMs,
  };
  const whole = { set, setIfAbsent: listedAs(work.recordId, nowMs), sum: totals(tokens) };
  return { whole, least, tokens };
}

/**
 * The last reply's: a turn without one leaves them as they are. A reply whose responder told none takes those
 * of the reply before away, and adds nothing: under their names may stand the totals of 0.1.0.
 */
function countsOf(usage: Usage | undefined, isReply: boolean): { last: Item; tokens: Counts } {
  const counts = tokensOf(usage ?? NO_TOKENS);
  if (usage) return { last: counts, tokens: counts };
  if (!isReply) return { last: {}, tokens: {} };
  return { last: Object.fromEntries(Object.keys(counts).map((name) => [name, undefined])), tokens: counts };
}
