import { messagesInBatchMax } from "../../../core/batch.ts";
import type { StagedItem, WaitingSpan } from "../../../core/found.ts";
import type { Pile } from "../../../core/pile.ts";
import { itemOf, messagesOf } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { StepContext } from "../context.ts";
import type { StagedSpan } from "../tables.ts";

/** What waits in a conversation, as far as a turn needs it. */
export interface Waiting {
  /** Everything; if more waits than a batch holds, what was tried before and what comes first. */
  readonly staged: readonly StagedItem[];
  /** Set if `staged` are not all. */
  readonly span?: WaitingSpan;
  /** The channel of the message that was staged last. */
  readonly newestChannel: string | undefined;
  /** The rows of these ids, read whole. Fewer than requested if a foreign one had to be set aside. */
  rowsOf(ids: readonly string[]): StagedRow[];
}

/**
 * A pile that fits into a batch is read at once. Of a larger one only the order is read, and then what the
 * turn takes. Reading 2,000 messages of 4,000 characters took 39 ms, twice per turn, while writers waited;
 * reading their order takes 2. How much waits is not counted for that: what was staged since the pile was
 * last empty is known from its end, and is at least as much.
 */
export function waitingIn(context: StepContext, id: string, state: ConversationState): Waiting {
  const { tables, settings } = context;
  const isSmall = ({ messages, bytes }: Pile) =>
    messages <= settings.batchMessagesMax && bytes <= settings.batchBytesMax;
  const span = isSmall(tables.staged.end(id)) ? undefined : tables.staged.span(id);
  const isAllSmall = !span || (isSmall(span) && tables.staged.count(id) <= settings.batchMessagesMax);
  return isAllSmall ? allOf(tables.staged.all(id)) : frontOf(context, id, span, state);
}

function allOf(rows: readonly StagedRow[]): Waiting {
  return {
    staged: rows.map(itemOf),
    newestChannel: messagesOf(rows).at(-1)?.message.channel,
    rowsOf: (ids) => {
      const wanted = new Set(ids);
      return rows.filter((row) => wanted.has(row.id));
    },
  };
}

function frontOf(
  { tables, settings }: StepContext,
  id: string,
  span: StagedSpan,
  state: ConversationState,
): Waiting {
  const tried = tables.staged.of(
    id,
    state.works.flatMap(({ messageIds }) => messageIds),
  );
  const first = tables.staged.front(id, messagesInBatchMax(settings, span.bytesMin) + tried.length, span);
  const outbound = tables.staged.firstOutbound(id);
  const all = [...(outbound ? [outbound] : []), ...tried.map(itemOf), ...first];
  return {
    staged: [...new Map(all.map((item) => [item.id, item])).values()],
    span,
    newestChannel: span.newestChannel,
    rowsOf: (ids) => tables.staged.of(id, ids),
  };
}
