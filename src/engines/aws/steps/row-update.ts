import { isDeepStrictEqual } from "node:util";
import { providerIdsOf } from "../../../core/draft.ts";
import { changeByTurn, type FinishedTurn } from "../../../core/turn.ts";
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
  const whole = wholeOf(stored, turn);
  const plain = (lacks?: string) => withoutMirror(context, key, stored, turn, lacks);
  const mirroring = (row: Item, triesLeft: number): RowUpdate => {
    const mirrored = mirroredIn(context, row, turn, whole.set ?? {});
    if (!mirrored) return plain(MESSAGES);
    const { messages, condition } = mirrored;
    return {
      action: updateOf(key, { ...whole, set: { ...whole.set, messages } }, condition),
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

function withoutMirror(
  context: AwsContext,
  key: Item,
  stored: Stored,
  turn: FinishedTurn,
  lacking?: string,
): RowUpdate {
  const update = (change: Change, instead: RowUpdate["instead"], lacks?: string): RowUpdate => ({
    action: updateOf(key, change),
    instead,
    onto: () => undefined,
    ...(lacks && { lacks }),
  });
  const whole = wholeOf(stored, turn);
  const tokens = tokensIn(turn);
  return update(
    whole,
    async () => {
      const least = update({ set: leastOf(stored, turn) }, async () => undefined, "all but the status");
      const row = await context.store.get("conversations", key);
      if (!row || Object.keys(tokens).every((name) => isCounter(startOf(row, name)))) return least;
      const lost = Object.keys(tokens).filter((name) => !isCountable(row[totalName(name)]));
      const lacks = [...(lacking ? [lacking] : []), ...lost.map(totalName)].join(", ");
      return update(counting(whole, row, tokens), async () => least, lacks);
    },
    lacking,
  );
}

const isCounter = (value: unknown) => value === undefined || typeof value === "number";
/** NULL means that nothing was counted yet. */
const isCountable = (value: unknown) => value === null || isCounter(value);

/** What a total goes on from: 0.1.0 kept it under the name of the last reply's count. */
function startOf(row: Item, name: string): unknown {
  const total = row[totalName(name)];
  return total === undefined ? row[name] : total;
}

type Counts = Readonly<Record<string, number>>;

function totals(tokens: Counts): NonNullable<Change["sum"]> {
  return Object.fromEntries(Object.entries(tokens).map(([from, plus]) => [totalName(from), { plus, from }]));
}

function tokensIn({ commit }: FinishedTurn): Counts {
  return commit.usage ? tokensOf(commit.usage) : {};
}

/** A total starts anew where there is no number to go on from. One that is no number is its owner's. */
function counting({ sum: _, ...whole }: Change, row: Item, tokens: Counts): Change {
  const countable = Object.entries(tokens).filter(([name]) => isCountable(row[totalName(name)]));
  const sums = countable.map(([name, count]) => {
    const start = startOf(row, name);
    return [totalName(name), (typeof start === "number" ? start : 0) + count];
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

function wholeOf(stored: Stored, turn: FinishedTurn): Change {
  const { work, commit, draft, nowMs } = turn;
  const lastSid = draft && providerIdsOf(draft).at(-1);
  return {
    set: {
      ...leastOf(stored, turn),
      ...changeOf(changeByTurn(commit), nowMs),
      ...(lastSid !== undefined && { last_assistant_message_sid: lastSid }),
      // The last reply's: a turn without one leaves them as they are.
      ...tokensIn(turn),
      initial_processing_time_ms: nowMs - work.takenAtMs,
    },
    setIfAbsent: listedAs(work.recordId, nowMs),
    sum: totals(tokensIn(turn)),
  };
}
