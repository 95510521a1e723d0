import { namesOf } from "../../core/names.ts";
import { messagesOf } from "../../core/staged.ts";
import type { KeptRows, PeopleTable, StoredKind, Tables } from "../embedded/tables.ts";
import { type MemoryRows, paged } from "./rows.ts";

/** How the rows of one kind are found, and how some of them go. */
interface Kept {
  readonly of: (id: string) => readonly object[];
  readonly remove: (id: string, count: number) => void;
}

export function keptTables(rows: MemoryRows): Tables["kept"] {
  const { conversations, states, staged, messages, turns, dead, unknown } = rows;
  const all: Readonly<Record<StoredKind, Kept>> = {
    conversation: {
      of: (id) => [conversations.get(id) ?? []].flat(),
      remove: (id) => void conversations.delete(id),
    },
    state: { of: (id) => [states.get(id) ?? []].flat(), remove: (id) => void states.delete(id) },
    staged: {
      of: (id) => rows.stagedIn(id),
      remove(id, count) {
        const mine = staged.get(id);
        for (const row of rows.stagedIn(id).slice(0, count)) mine?.delete(row.id);
        if (mine?.size === 0) staged.delete(id);
      },
    },
    message: listed(messages),
    turn: listed(turns),
    deadLetter: recorded(dead),
    unknownSend: recorded(unknown),
    refusal: {
      of: (id) => rows.refusals.filter((each) => each.conversationId === id),
      remove(id, count) {
        const gone = new Set(rows.refusals.filter((each) => each.conversationId === id).slice(0, count));
        rows.refusals = rows.refusals.filter((each) => !gone.has(each));
      },
    },
    // No other process writes here.
    quarantined: { of: () => [], remove: () => {} },
  };
  const kinds = Object.entries(all).map(([kind, kept]) => [kind, keptRows(kept)]);
  return Object.fromEntries(kinds) as Record<StoredKind, KeptRows>;
}

function keptRows({ of, remove }: Kept): KeptRows {
  return {
    of: (id, page) => paged(of(id), page),
    removeOf(id, max) {
      const count = Math.min(max, of(id).length);
      if (count > 0) remove(id, count);
      return count;
    },
  };
}

function listed<T extends object>(lists: Map<string, T[]>): Kept {
  return {
    of: (id) => lists.get(id) ?? [],
    remove(id, count) {
      const left = (lists.get(id) ?? []).slice(count);
      if (left.length > 0) lists.set(id, left);
      else lists.delete(id);
    },
  };
}

function recorded(records: Map<string, { readonly id: string; readonly conversationId: string }>): Kept {
  const of = (id: string) => [...records.values()].filter((each) => each.conversationId === id);
  return {
    of,
    remove(id, count) {
      for (const each of of(id).slice(0, count)) records.delete(each.id);
    },
  };
}

export function peopleTable(rows: MemoryRows): PeopleTable {
  return {
    addresses() {
      const known = rows.conversations
        .newestFirst()
        .map(({ channelType, address }) => ({ channelType, address }));
      const named = [...rows.names.keys()].map((key) => {
        const [channelType = "", address = ""] = JSON.parse(key) as string[];
        return { channelType, address };
      });
      return [...known, ...named];
    },
    strays(names, page) {
      const places = [...rows.staged.values()].flatMap((pile) => [...pile.values()]);
      const letters = [...rows.dead.values()].flatMap((letter) =>
        letter.rows.map((row) => ({ ...row, conversationId: letter.conversationId })),
      );
      const theirs = messagesOf([...places, ...letters]).filter(
        ({ conversationId, message }) =>
          rows.conversations.get(conversationId) === undefined &&
          namesOf(message).some((name) => names.includes(name)),
      );
      return paged(theirs, page);
    },
    named: (kind, names, page) =>
      kind === "refusal"
        ? paged(
            rows.refusals.filter(
              ({ sender, conversationId }) =>
                names.includes(sender) && rows.conversations.get(conversationId ?? "") === undefined,
            ),
            page,
          )
        : { items: [] },
  };
}
