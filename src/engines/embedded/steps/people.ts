import { conversationKey } from "../../../core/identity.ts";
import { shownName } from "../../../core/named-person.ts";
import { sentInDraft, sentInTurn, sentKey } from "../../../core/sent.ts";
import { deadLetterOf } from "../../../core/staged.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import {
  isOver,
  isPlace,
  type KeptOf,
  type KeptRecord,
  type NamedOnly,
  type PersonAt,
} from "../../../model/kept.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { Listing, Page } from "../../../ports/inspector.ts";
import type { KeptPage, PersonSearch } from "../../../ports/people.ts";
import { type StepContext, stateOf } from "../context.ts";
import type { NamedKind, StoredDeadLetter, StoredKind } from "../tables.ts";
import { personNamed } from "./person.ts";

/** Rows that one look for strays goes through. */
const STRAYS_MAX = 2_000;

type Place = Pick<ConversationKey, "channelType" | "address">;

/** First by index, at every address of ours; then through what waits, and what is dead, without a record. */
export function findPerson(context: StepContext, { names, cursor }: PersonSearch): Listing<PersonAt> {
  if (cursor === undefined) return { items: byIndex(context, names), next: "" };
  const page = { limit: STRAYS_MAX, ...(cursor !== "" && { cursor }) };
  const { items, next } = context.tables.people.strays(names, page);
  return {
    items: items.flatMap((row) => placeOfStray(context, row)),
    ...(next !== undefined && { next }),
  };
}

function byIndex(context: StepContext, names: readonly string[]): PersonAt[] {
  return placesOf(context).flatMap((place) => {
    const found = names.flatMap((name) => {
      const person = personNamed(context, place, name);
      return person.ids.length + person.records.length === 0 ? [] : [{ name, person }];
    });
    if (found.length === 0) return [];
    return {
      ...place,
      names: unique(found.flatMap(({ name, person }) => [name, ...person.names])),
      conversationIds: unique(found.flatMap(({ person }) => person.ids)),
      others: unique(found.flatMap(({ person }) => person.others)),
    };
  });
}

/** Where people are known, and where our channels are: a first message may wait without a conversation. */
function placesOf({ tables, settings }: StepContext): Place[] {
  const configured = Object.values(settings.channels).flatMap(({ type, addresses = [] }) =>
    addresses.map((address) => ({ channelType: type, address })),
  );
  const all = [...tables.people.addresses(), ...configured];
  return [
    ...new Map(all.map((place) => [JSON.stringify([place.channelType, place.address]), place])).values(),
  ];
}

function placeOfStray({ settings }: StepContext, row: StagedRow): PersonAt[] {
  if (row.kind === "outbound") return [];
  const { channelType, address, sender } = conversationKey(settings, row.message);
  return [{ channelType, address, names: [sender], conversationIds: [row.conversationId], others: [] }];
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)];
}

/** A page of one kind: of one conversation after the other. */
export function keptOf(
  context: StepContext,
  { of, page }: { readonly of: KeptOf; readonly page: KeptPage },
): Listing<KeptRecord> {
  if (!isPlace(of)) return namedOnly(context, of, page);
  if (page.kind === "name") return namesKept(context, of);
  const [at = "0", ...rest] = page.cursor?.split(":") ?? [];
  const id = of.conversationIds[Number(at)];
  if (id === undefined) return { items: [] };
  const cursor = rest.length > 0 ? { cursor: rest.join(":") } : {};
  const { items, next } = keptIn(context, id, page.kind, { limit: page.limit, ...cursor });
  const isLast = Number(at) + 1 >= of.conversationIds.length;
  const following = next === undefined ? (isLast ? undefined : `${Number(at) + 1}`) : `${at}:${next}`;
  return {
    items: items.map((record) => ({ conversationId: id, record })),
    ...(following !== undefined && { next: following }),
  };
}

function keptIn(
  context: StepContext,
  id: string,
  kind: Exclude<KeptPage["kind"], "name">,
  page: Page,
): Listing<object> {
  const { tables } = context;
  if (kind === "sent") return sentKept(context, id, page);
  const { items, ...rest } = tables.kept[kind].of(id, page);
  return { items: items.map((row) => SHOWN[kind]?.(row) ?? row), ...rest };
}

/** Rows that are shown in another shape than they are stored in. */
const SHOWN: { readonly [K in StoredKind]?: (row: object) => object } = {
  deadLetter: (row) => {
    const { rows, ...head } = row as StoredDeadLetter;
    return deadLetterOf(head, rows);
  },
};

/** What of a turn's sends is still known by its hash, and what a draft has sent. */
function sentKept(context: StepContext, id: string, page: Page): Listing<object> {
  const { items, next } = context.tables.kept.turn.of(id, page);
  const drafts = page.cursor === undefined ? sentInDraft(stateOf(context, id).draft) : [];
  const all = [...drafts, ...(items as TurnRecord[]).flatMap(sentInTurn)];
  const known = all.filter((sent) => context.tables.remembered.has(sentKey(sent)));
  return { items: known, ...(next !== undefined && { next }) };
}

function namesKept({ tables }: StepContext, at: PersonAt): Listing<KeptRecord> {
  const key = { ...at, sender: "" };
  const records = [...tables.names.records(key, at.names)];
  return { items: records.map(([name, record]) => ({ record: shownName(name, record) })) };
}

const NAMED: readonly string[] = ["refusal", "quarantined"] satisfies NamedKind[];

/** What is in a conversation of theirs was listed there. */
function namedOnly(context: StepContext, of: NamedOnly, page: KeptPage): Listing<KeptRecord> {
  const isLeftOut = of.channels !== undefined && page.kind === "quarantined";
  if (!NAMED.includes(page.kind) || isLeftOut) return { items: [] };
  const { items, next } = context.tables.people.named(page.kind as NamedKind, of.names, page);
  const isWanted = (row: object) => page.kind !== "refusal" || isOver(of, (row as Refusal).channel);
  const wanted = items.filter(isWanted);
  return { items: wanted.map((record) => ({ record })), ...(next !== undefined && { next }) };
}
