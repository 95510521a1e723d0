import type { AwsContext } from "../context.ts";
import { type Condition, type Item, present } from "../dynamo/expression.ts";
import { transactionToken } from "./keys.ts";

/**
 * True for the one call that removed it. A plain delete whose answer got lost would find nothing the second
 * time, and conclude that another process was first: a transaction knows its own token.
 */
export async function removeOnce(
  context: AwsContext,
  key: Item,
  condition: Condition = present("item_id"),
): Promise<boolean> {
  const token = transactionToken("remove", context.newId());
  const { kind } = await context.store.transact(
    [{ kind: "delete", table: "messages", key, condition }],
    token,
  );
  return kind === "done";
}
