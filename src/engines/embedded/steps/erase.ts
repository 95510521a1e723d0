import { erasedOn } from "../../../core/erased-refusals.ts";
import { type Sent, sentInDraft, sentInTurn } from "../../../core/sent.ts";
import { messagesOf } from "../../../core/staged.ts";
import { isOver, isPlace, type KeptOf, type NamedOnly, type PersonAt } from "../../../model/kept.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import { keepRemembered, type StepContext, stateOf } from "../context.ts";
import type { KeptRows, StoredDeadLetter, StoredKind } from "../tables.ts";
import { type PersonRows, personNamed, personOf, together } from "./person.ts";
import { forgetSent } from "./record-delivery.ts";

/** A conversation, or the people who have these names. */
export type ErasedInput = { readonly id: string } | { readonly of: KeptOf };

/** `more`: so many rows are gone, and the same step goes on with the rest. */
export type ErasedStep = "erased" | "more" | "not-found";

/** Rows that one step removes: other writers wait for some ten milliseconds, however much a person wrote. */
export const ERASED_ROWS_MAX = 1_000;

/**
 * Removes the person, not one conversation: earlier conversations, those under another name, refusals, and
 * messages that wait for a conversation that was never created. Ids of staged messages are remembered: a
 * redelivery must not bring an erased person back.
 */
export function erase(context: StepContext, input: ErasedInput): ErasedStep {
  if ("id" in input) return erasePerson(context, personOf(context, input.id));
  if (!isPlace(input.of)) return eraseNamed(context, input.of);
  return erasePerson(context, personAt(context, input.of));
}

/** As they are by now: another message may have come since they were found. */
function personAt(context: StepContext, at: PersonAt): PersonRows {
  const places = at.conversationIds.filter((id) => context.tables.conversations.get(id) === undefined);
  return together([
    ...at.names.map((name) => personNamed(context, at, name)),
    ...places.map((id) => personOf(context, id)),
  ]);
}

/** Names last: by them, what is left is found again. */
function erasePerson(context: StepContext, { keys, names, ids, records, forgets }: PersonRows): ErasedStep {
  const { tables } = context;
  let left = ERASED_ROWS_MAX;
  let isFound = false;
  for (const [at, id] of ids.entries()) {
    const { removed, isWhole } = eraseConversation(context, id, left);
    left -= removed;
    isFound ||= removed > 0;
    if (isWhole && (left > 0 || at === ids.length - 1)) continue;
    tables.removal.noteErased();
    return "more";
  }
  if (!isFound && records.length === 0) return "not-found";
  tables.removal.named(names, erasedOn(context.settings, keys));
  for (const forget of forgets) forget();
  tables.removal.noteErased();
  return "erased";
}

/** First what lets a turn run and write back; the record last, which leads to all the rest. */
const ORDER: Readonly<Record<StoredKind, number>> = {
  state: 0,
  staged: 1,
  message: 2,
  turn: 3,
  deadLetter: 4,
  unknownSend: 5,
  refusal: 6,
  quarantined: 7,
  conversation: 8,
};

export const ERASED_IN_ORDER = (Object.keys(ORDER) as StoredKind[]).sort((a, b) => ORDER[a] - ORDER[b]);

/** At most so many rows; the record stays while anything else does. */
function eraseConversation(
  context: StepContext,
  id: string,
  max: number,
): { readonly removed: number; readonly isWhole: boolean } {
  const { tables } = context;
  forgetSent(context, sentInDraft(stateOf(context, id).draft));
  keepRemembered(context, messagesOf(tables.staged.all(id)));
  let left = max;
  for (const kind of ERASED_IN_ORDER) {
    if (left <= 0) return { removed: max, isWhole: false };
    const rows = tables.kept[kind];
    const sent = SENT_IN[kind];
    if (sent) forgetSent(context, sentIn(rows, id, left, sent));
    left -= rows.removeOf(id, left);
  }
  return { removed: max - left, isWhole: true };
}

/** Kinds whose rows say what was sent. */
const SENT_IN: { readonly [K in StoredKind]?: (row: object) => Sent[] } = {
  turn: (row) => sentInTurn(row as TurnRecord),
  deadLetter: (row) => sentInDraft((row as StoredDeadLetter).draft),
};

/** Of the rows that are removed next. */
function sentIn(rows: KeptRows, id: string, max: number, sent: (row: object) => Sent[]): Sent[] {
  const found: Sent[] = [];
  let cursor: string | undefined;
  for (let left = max; left > 0; ) {
    const page = rows.of(id, { limit: left, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.flatMap(sent));
    cursor = page.next;
    left -= page.items.length;
    if (cursor === undefined) break;
  }
  return found;
}

/** Where there are several tenants, what does not say whose it is stays. */
function eraseNamed(context: StepContext, of: NamedOnly): ErasedStep {
  const { removal } = context.tables;
  const isWhole = of.channels === undefined && of.except === undefined;
  removal.named(of.names, isWhole ? undefined : (channel) => isOver(of, channel), of.channels === undefined);
  removal.noteErased();
  return "erased";
}

/** Why something of an erased person may still be in a file, though no table has it any more. */
export function tracesLeft(context: StepContext): string | undefined {
  return context.tables.removal.tracesLeft();
}
