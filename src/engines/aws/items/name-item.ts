import { type Erased, erasedFrom } from "../../../core/erased-person.ts";
import { changedName, isPassing, isTaken, mergedNames, namesOf } from "../../../core/names.ts";
import { alsoAskedFor, otherNamesOf } from "../../../core/person.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { NameChange, Named, NameRecord, NameRecords } from "../../../model/names.ts";
import { isObject } from "../../../schema/is-object.ts";
import type { AwsContext } from "../context.ts";
import { isAsRead } from "../dynamo/exact.ts";
import type { Item } from "../dynamo/expression.ts";
import { aliasKey, conversationKeyOf } from "./keys.ts";

/** Records of a message's names, of the owner of its number, and of the owner's other names. */
export async function recordsFor(
  context: AwsContext,
  key: ConversationKey,
  named: Named,
): Promise<NameRecords> {
  const own = await recordsOf(context, key, namesOf(named));
  const known = await withMore(context, key, own, alsoAskedFor(named, own));
  return withMore(context, key, known, otherNamesOf(named, known));
}

async function withMore(
  context: AwsContext,
  key: ConversationKey,
  records: NameRecords,
  names: readonly string[],
): Promise<NameRecords> {
  const more = names.filter((name) => !records.has(name));
  return more.length === 0 ? records : new Map([...records, ...(await recordsOf(context, key, more))]);
}

/** Answers a lookup of name records. */
export function recordsAt(context: AwsContext, key: ConversationKey) {
  return (names: readonly string[]): Promise<NameRecords> => recordsOf(context, key, names);
}

/** Read consistently, each under its own key. */
export async function recordsOf(
  context: AwsContext,
  key: ConversationKey,
  names: readonly string[],
): Promise<NameRecords> {
  const byKey = new Map(names.map((name) => [aliasKey(key, name), name]));
  const found = await context.store.getMany("state", [...byKey.keys()].map(conversationKeyOf));
  return new Map(
    found.flatMap((item) => {
      const name = byKey.get(String(item.conversation_id))!;
      const record = recordFrom(name, item);
      return record ? [[name, record] as const] : [];
    }),
  );
}

/** 0.1.0 stored the owner of a name, and nothing else. */
function recordFrom(name: string, item: Item): NameRecord | undefined {
  const { came_with: cameWith, whose, strangers, primary_channel: owner } = item;
  if (!Array.isArray(cameWith))
    return isText(owner) && isPassing(owner) !== isPassing(name) ? { cameWith: [owner] } : undefined;
  const kept = Object.entries(isObject(whose) ? whose : {}).filter((entry): entry is [string, string] =>
    isText(entry[1]),
  );
  return {
    cameWith: cameWith.filter(isText),
    ...(kept.length > 0 && { whose: Object.fromEntries(kept) }),
    ...(Array.isArray(strangers) && { strangers: strangers.filter(isText) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** False if the conversation has become another person's meanwhile: then nothing was written. */
export async function keepName(
  context: AwsContext,
  conversation: Pick<Conversation, "channelType" | "address" | "sender"> & { readonly id?: string },
  name: string,
  change: NameChange,
): Promise<boolean> {
  let isTheirs = true;
  await rewrite(context, conversation, name, (standing) => {
    isTheirs = !isTaken(standing, change, conversation.id ?? "");
    return isTheirs ? changedName(standing, change) : "as-it-is";
  });
  return isTheirs;
}

/** For an imported conversation: what was learnt here is newer. */
export async function importName(
  context: AwsContext,
  key: ConversationKey,
  name: string,
  record: NameRecord,
): Promise<void> {
  await rewrite(context, key, name, (standing) => (standing ? mergedNames(standing, record) : record));
}

/** Returns the names that it had come with by then: a new message may have brought another. */
export async function eraseName(
  context: AwsContext,
  key: ConversationKey,
  name: string,
  erased: Erased,
): Promise<readonly string[]> {
  let cameWith: readonly string[] = [];
  await rewrite(context, key, name, (standing, { primary_channel: owner } = {}) => {
    cameWith = standing?.cameWith ?? [];
    if (standing) return erasedFrom(name, standing, erased);
    // A note of 0.1.0 between two names of one kind.
    return isText(owner) && erased.names.has(owner) ? undefined : "as-it-is";
  });
  return cameWith;
}

/** Tries again while other writers are faster: each time one of them succeeded. */
async function rewrite(
  context: AwsContext,
  key: ConversationKey,
  name: string,
  change: (standing: NameRecord | undefined, item?: Item) => NameRecord | undefined | "as-it-is",
): Promise<void> {
  const at = conversationKeyOf(aliasKey(key, name));
  for (;;) {
    const item = await context.store.get("state", at);
    const record = change(item && recordFrom(name, item), item);
    if (record === "as-it-is" || (record === undefined && !item)) return;
    const isSame = isAsRead(item ?? {}, "rev");
    const rev = context.newId();
    const written = record
      ? await context.store.update("state", at, { set: attributesOf(record, rev) }, isSame)
      : await context.store.delete("state", at, isSame);
    // Also done if the answer got lost and the write was repeated.
    if (written.kind === "done" || (record ? written.item?.rev === rev : !written.item)) return;
  }
}

/** Removes the attribute in which 0.1.0 named the owner: it would outlive that person. */
function attributesOf({ cameWith, whose, strangers }: NameRecord, rev: string): Item {
  return { came_with: cameWith, whose, strangers, rev, primary_channel: undefined };
}
