import { keptSinceMs } from "../../../core/defaults.ts";
import { fitting, latestWithin, storedSizes } from "../../../core/history.ts";
import { UNANSWERED_MAX, withUnanswered } from "../../../core/unanswered.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { HistoryMessage } from "../../../model/history.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { AwsContext } from "../context.ts";
import { all, beginsWith, equal, type Item } from "../dynamo/expression.ts";
import { rowOf } from "../items/conversation-row.ts";
import { LETTER, letterFrom, wholeLetters } from "../items/letter-item.ts";
import { isMirrored, legacyFrom } from "../items/message-item.ts";
import {
  entryOf,
  holdsRecord,
  RECORD,
  recordFrom,
  SAID,
  saidFrom,
  withoutOldTwins,
} from "../items/turn-item.ts";

/** What most turns hold: the customer's side, and ours. */
const SIDES = 2;
/** Items of a page if their bytes decide when there are enough. */
const PAGE_ITEMS_MAX = 100;

/** The latest items of one kind, oldest first. The cost does not grow with the conversation. */
export async function latestItems(
  context: AwsContext,
  id: string,
  kind: string,
  max: number,
): Promise<Item[]> {
  const key = all(equal("conversation_id", id), beginsWith("item_id", kind));
  return (await context.store.query("messages", { key, newestFirst: true, limit: max })).reverse();
}

/** How much of the past is wanted. `bytesMax` limits messages; turns are taken from the same pages. */
interface Wanted {
  readonly messagesMax: number;
  readonly turnsMax: number;
  readonly bytesMax: number;
}

interface Past {
  readonly messages: HistoryMessage[];
  readonly turns: TurnRecord[];
}

/** Our own history, and before it the messages that another system kept in the conversation's row. */
export async function history(
  context: AwsContext,
  id: string,
  messagesMax: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): Promise<HistoryMessage[]> {
  if (messagesMax < 1) return [];
  const [{ items, isAll }, letters] = await Promise.all([
    latestTurns(context, id, { messagesMax, turnsMax: 0, bytesMax }),
    unansweredLetters(context, id),
  ]);
  const said = await messagesIn(context, id, items, { messagesMax, bytesMax, isAll });
  if (letters.length === 0) return said;
  return latestWithin(withUnanswered(said, letters).slice(-messagesMax), bytesMax, entryOf);
}

/** Their keys tell no time. A conversation has more only if no operator looks after them. */
const LETTERS_LOOKED_AT_MAX = 5 * UNANSWERED_MAX;

async function unansweredLetters(context: AwsContext, id: string): Promise<DeadLetter[]> {
  const items = await latestItems(context, id, LETTER, LETTERS_LOOKED_AT_MAX);
  const heads = context.quarantine.sound("messages", items, letterFrom);
  const latest = heads.toSorted((one, other) => one.atMs - other.atMs).slice(-UNANSWERED_MAX);
  return wholeLetters(context, latest);
}

/** The same, and the turns. */
export async function pastOf(context: AwsContext, id: string, wanted: Wanted): Promise<Past> {
  const [{ items, isAll }, records] = await Promise.all([
    latestTurns(context, id, wanted),
    latestItems(context, id, RECORD, wanted.turnsMax),
  ]);
  const messages = await messagesIn(context, id, items, { ...wanted, isAll });
  return { messages, turns: turnsIn(context, [...items, ...records], wanted) };
}

/** What the latest turns left, newest first, in no more pages than needed. */
async function latestTurns(
  context: AwsContext,
  id: string,
  { messagesMax, turnsMax, bytesMax }: Wanted,
): Promise<{ items: Item[]; isAll: boolean }> {
  const key = all(equal("conversation_id", id), beginsWith("item_id", SAID));
  const items: Item[] = [];
  const sizes: number[] = [];
  const lacking = (sides: number) =>
    Math.max(
      Math.ceil((messagesMax - sizes.length) / sides),
      Math.min(turnsMax - items.length, PAGE_ITEMS_MAX),
    );
  let from: Item | undefined;
  do {
    // If turns have one side, or 0.1.0 wrote them, the second page makes up for it.
    const limit = lacking(from ? 1 : SIDES);
    const page = await context.store.queryPage("messages", { key, newestFirst: true, limit, from });
    items.push(...page.items);
    sizes.push(...page.items.flatMap(sizesIn));
    from = page.next;
  } while (from && lacking(1) > 0 && fitting(sizes, bytesMax) === sizes.length);
  return { items, isAll: !from };
}

/** Sizes of an item's messages, newest first. */
function sizesIn(item: Item): number[] {
  const read = saidFrom(item);
  const messages = read.kind === "sound" ? read.value.messages : [];
  return storedSizes(messages, entryOf);
}

/** The latest of them that fit, oldest first. If ours are complete, the other system's come before them. */
async function messagesIn(
  context: AwsContext,
  id: string,
  items: readonly Item[],
  { messagesMax, bytesMax, isAll }: Omit<Wanted, "turnsMax"> & { readonly isAll: boolean },
): Promise<HistoryMessage[]> {
  const said = context.quarantine.sound("messages", items.toReversed(), saidFrom);
  const own = withoutOldTwins(said).flatMap(({ messages }) => messages);
  const latest = latestWithin(own.slice(-messagesMax), bytesMax, entryOf);
  const kept = latest.filter(({ atMs }) => isKept(context, atMs));
  if (!isAll || latest.length < own.length || own.length >= messagesMax) return kept;
  const before = (await rowOf(context, id))?.messages;
  if (!Array.isArray(before)) return kept;
  // What we wrote there ourselves is in our own history, or past its retention.
  const theirs = before.filter((entry) => !isMirrored(entry, id));
  const legacy = theirs.flatMap((entry) => legacyFrom(entry) ?? []);
  return latestWithin([...legacy, ...kept].slice(-messagesMax), bytesMax, entryOf);
}

/** The records in these items, oldest first. */
function turnsIn(context: AwsContext, items: readonly Item[], { turnsMax }: Wanted): TurnRecord[] {
  const inTime = items.filter(holdsRecord).sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1));
  const turns = context.quarantine.sound("messages", inTime, recordFrom);
  const each = [...new Map(turns.map((turn) => [turn.turnId, turn])).values()];
  return each.slice(-turnsMax).filter(({ committedAtMs }) => isKept(context, committedAtMs));
}

/** When it was committed: the key without its kind. */
function timeIn({ item_id }: Item): string {
  return String(item_id).slice(SAID.length);
}

/** The table removes what is past its retention late; until then it is hidden here. */
function isKept({ settings, clock }: AwsContext, atMs: number): boolean {
  return atMs >= keptSinceMs(settings, clock.nowMs());
}
