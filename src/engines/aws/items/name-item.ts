import { erasedFrom } from "../../../core/erased-person.ts";
import { isPassing, namesOf, withName } from "../../../core/names.ts";
import { alsoAskedFor, namesBehind, otherNamesOf } from "../../../core/person.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { Named, NameRecord, NameRecords } from "../../../model/names.ts";
import type { Site } from "../context.ts";
import { absent, type Condition, equal, type Item } from "../dynamo/expression.ts";
import { aliasKey, conversationKeyOf } from "./keys.ts";

export const NOTHING_KEPT: NameRecords = new Map();

/** What is kept of a message's names, of who has its number, and of the other names under which they may have come. */
export async function recordsFor(site: Site, key: ConversationKey, named: Named): Promise<NameRecords> {
  const own = await recordsOf(site, key, namesOf(named));
  const known = await withMore(site, key, own, alsoAskedFor(named, own));
  return withMore(site, key, known, otherNamesOf(named, known));
}

/** What tells where the person of a conversation can be reached. */
export async function recordsBehind(site: Site, conversation: Conversation): Promise<NameRecords> {
  for (let records = NOTHING_KEPT; ; ) {
    const known = await withMore(site, conversation, records, namesBehind(conversation, records));
    if (known.size === records.size) return records;
    records = known;
  }
}

async function withMore(
  site: Site,
  key: ConversationKey,
  records: NameRecords,
  names: readonly string[],
): Promise<NameRecords> {
  const more = names.filter((name) => !records.has(name));
  return more.length === 0 ? records : new Map([...records, ...(await recordsOf(site, key, more))]);
}

/** Read consistently, each under its own key. */
export async function recordsOf(
  site: Site,
  key: ConversationKey,
  names: readonly string[],
): Promise<NameRecords> {
  const byKey = new Map(names.map((name) => [aliasKey(key, name), name]));
  const found = await site.store.getMany("state", [...byKey.keys()].map(conversationKeyOf));
  return new Map(
    found.flatMap((item) => {
      const name = byKey.get(String(item.conversation_id))!;
      const record = recordFrom(name, item);
      return record ? [[name, record] as const] : [];
    }),
  );
}

/** 0.1.0 kept who has a name, and nothing else. */
function recordFrom(name: string, item: Item): NameRecord | undefined {
  const { came_with: cameWith, whose, primary_channel: holder } = item;
  if (Array.isArray(cameWith)) {
    const kept = Object.entries(isMap(whose) ? whose : {}).filter((entry): entry is [string, string] =>
      isText(entry[1]),
    );
    return { cameWith: cameWith.filter(isText), ...(kept.length > 0 && { whose: Object.fromEntries(kept) }) };
  }
  return isText(holder) && isPassing(holder) !== isPassing(name) ? { cameWith: [holder] } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isMap(value: unknown): value is Item {
  return typeof value === "object" && value !== null;
}

/** What another has written meanwhile stays: theirs came before. */
export async function keepName(
  site: Site,
  key: ConversationKey,
  name: string,
  record: NameRecord,
): Promise<void> {
  await rewrite(site, key, name, (standing) =>
    standing ? withName(standing, record.cameWith.at(-1)!, record.whose) : record,
  );
}

/** Of a conversation that comes from elsewhere, unless somebody here has come with the name since. */
export async function adoptName(
  site: Site,
  key: ConversationKey,
  name: string,
  record: NameRecord,
): Promise<void> {
  await site.store.update("state", keyOf(key, name), { set: attributesOf(record) }, absent("came_with"));
}

export async function eraseName(
  site: Site,
  key: ConversationKey,
  name: string,
  gone: ReadonlySet<string>,
): Promise<void> {
  await rewrite(site, key, name, (standing) => standing && erasedFrom(name, standing, gone));
}

async function rewrite(
  site: Site,
  key: ConversationKey,
  name: string,
  change: (standing: NameRecord | undefined) => NameRecord | undefined,
): Promise<void> {
  for (;;) {
    const item = await site.store.get("state", keyOf(key, name));
    const record = change(item && recordFrom(name, item));
    const isUnchanged = isAsIn(item);
    if (!record && !item) return;
    const { kind } = record
      ? await site.store.update("state", keyOf(key, name), { set: attributesOf(record) }, isUnchanged)
      : await site.store.delete("state", keyOf(key, name), isUnchanged);
    if (kind === "done") return;
  }
}

function isAsIn(item: Item | undefined): Condition {
  return item?.came_with === undefined ? absent("came_with") : equal("came_with", item.came_with);
}

function attributesOf({ cameWith, whose }: NameRecord): Item {
  return { came_with: cameWith, whose };
}

function keyOf(key: ConversationKey, name: string): Item {
  return conversationKeyOf(aliasKey(key, name));
}
