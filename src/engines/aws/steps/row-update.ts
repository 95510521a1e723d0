import { providerIdsOf } from "../../../core/draft.ts";
import { changeByTurn, type FinishedTurn } from "../../../core/turn.ts";
import { NO_USAGE } from "../../../model/reply.ts";
import type { AwsContext } from "../context.ts";
import { type Change, type Item, present } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { changeOf, listedAs, rowKey, tokensOf } from "../items/conversation-item.ts";
import { senderOf } from "../items/conversation-row.ts";
import type { Stored } from "../items/state-item.ts";

/** What a turn changes in the conversation's row, and what to try instead if that can never be written. */
export interface RowUpdate {
  readonly action: Action;
  /** What of the turn it leaves out. */
  readonly lacks?: string;
  readonly instead: () => Promise<RowUpdate | undefined>;
}

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
  const sender = stored.sender ?? (await senderOf(context, recordId));
  if (sender === undefined) return undefined;
  const key = rowKey(sender, recordId);
  const update = (change: Change, instead: RowUpdate["instead"], lacks?: string): RowUpdate => ({
    action: { kind: "update", table: "conversations", key, change, condition: present("conversation_id") },
    instead,
    ...(lacks && { lacks }),
  });
  const whole = wholeOf(stored, turn);
  const tokens = tokensOf(turn.commit.usage ?? NO_USAGE);
  return update({ ...whole, add: tokens }, async () => {
    const least = update({ set: leastOf(stored, turn) }, async () => undefined, "all but the status");
    const row = await context.store.get("conversations", key);
    const wrong = Object.keys(tokens).filter((name) => !isCounter(row?.[name]));
    if (!row || wrong.length === 0) return least;
    const lost = wrong.filter((name) => row[name] !== null);
    return update(counting(whole, row, tokens), async () => least, lost.join(", "));
  });
}

const isCounter = (value: unknown) => value === undefined || typeof value === "number";

/** NULL means that nothing was counted yet. Any other value that is no number is its owner's, and stays. */
function counting(whole: Change, row: Item, tokens: Readonly<Record<string, number>>): Change {
  const of = (is: (value: unknown) => boolean) =>
    Object.fromEntries(Object.entries(tokens).filter(([name]) => is(row[name])));
  return { ...whole, set: { ...whole.set, ...of((value) => value === null) }, add: of(isCounter) };
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
      initial_processing_time_ms: nowMs - work.takenAtMs,
    },
    setIfAbsent: listedAs(work.recordId, nowMs),
  };
}
