import type { Log } from "../../../model/log.ts";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import type { AwsContext } from "../context.ts";
import type { Item } from "../dynamo/expression.ts";
import type { Action, Transacted } from "../dynamo/store.ts";

export function tellOfRow(log: Log, conversation: string, lacks: string, reason?: string): void {
  const about = { conversation, lacks };
  log("error", "conversation.not-updated", reason === undefined ? about : { ...about, reason });
}

/**
 * The conversation's row did not take what we have to say there. It is its owner's, so what is ours goes on
 * without it, and it is told. Any other error is the caller's.
 */
export function unlessImpossible(log: Log, error: unknown, conversation: string, lacks: string): void {
  if (!(error instanceof ImpossibleWrite)) throw error;
  tellOfRow(log, conversation, lacks, error.message);
}

/** `alone`: nothing is written. Only the row is in the way: it says something else, is gone, or is full. */
export type WithRow = Transacted | { readonly kind: "alone"; readonly row?: Item | undefined };

/** What is ours in one write with the status in the row. What is done without it is up to the caller. */
export async function transactWithRow(
  { store, log }: Pick<AwsContext, "store" | "log">,
  conversation: string,
  {
    actions,
    row,
    token,
  }: { readonly actions: readonly Action[]; readonly row: Action; readonly token: string },
): Promise<WithRow> {
  try {
    const transacted = await store.transact([...actions, row], token);
    const isOnlyRow = transacted.kind === "refused" && !transacted.by.has(0);
    return isOnlyRow ? { kind: "alone", row: transacted.by.get(actions.length) } : transacted;
  } catch (error) {
    unlessImpossible(log, error, conversation, "conversation_status");
    return { kind: "alone" };
  }
}
