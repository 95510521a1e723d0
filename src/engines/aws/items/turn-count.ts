import type { AwsContext } from "../context.ts";
import { equal, type Item } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { transactionToken, turnCountKey, turnCountPartitions } from "./keys.ts";

/**
 * How many turns there were. Counting them would mean reading every conversation, so the number is kept, on
 * so many small items that two turns at once hardly ever conflict, and that a few reads return them all. Part
 * of the commit: a turn is counted once.
 */
export function countTurn(turnId: string): Action {
  return counting(turnId, 1);
}

/** Subtracts the turns of an erased conversation. `asked` tells one erasure from the next. */
export async function uncountTurns(context: AwsContext, turns: unknown, asked: string): Promise<void> {
  if (typeof turns !== "number" || turns <= 0) return;
  await context.store.transact([counting(asked, -turns)], transactionToken("uncount", asked));
}

function counting(id: string, turns: number): Action {
  return { kind: "update", table: "messages", key: turnCountKey(id), change: { add: { turns } } };
}

export async function countedTurns(context: AwsContext): Promise<number> {
  const read = (partition: string) =>
    context.store.query("messages", { key: equal("conversation_id", partition) });
  const items = (await Promise.all(turnCountPartitions().map(read))).flat();
  return items.reduce((sum, item) => sum + turnsIn(item), 0);
}

function turnsIn({ turns }: Item): number {
  return typeof turns === "number" ? turns : 0;
}
