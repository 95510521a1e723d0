import { latestWithin } from "../../core/history.ts";
import { isNamedLike } from "../../core/names.ts";
import type {
  ConversationTable,
  DeadLetterTable,
  MetaTable,
  NameTable,
  RefusalTable,
  RememberedTable,
  Tables,
  UnknownSendTable,
  WatchedCounts,
} from "../embedded/tables.ts";
import { historyTable } from "./history.ts";
import { keptTables, peopleTable } from "./kept.ts";
import { nameKey } from "./registry.ts";
import { removal } from "./removal.ts";
import { lastOf, MemoryRows, paged } from "./rows.ts";
import { stagedTable } from "./staged.ts";
import { stateTable } from "./states.ts";

/** The tables as plain maps: for tests, and for the simulator. */
export function memoryTables(rows = new MemoryRows()): Tables {
  return {
    conversations: conversationTable(rows),
    names: nameTable(rows),
    staged: stagedTable(rows),
    remembered: rememberedTable(rows),
    states: stateTable(rows),
    history: historyTable(rows),
    refusals: refusalTable(rows),
    deadLetters: deadLetterTable(rows),
    unknownSends: unknownSendTable(rows),
    meta: metaTable(rows),
    // No other process writes here.
    quarantine: { add: () => {}, discard: () => false, list: () => ({ items: [] }) },
    removal: removal(rows),
    kept: keptTables(rows),
    people: peopleTable(rows),
  };
}

function conversationTable({ conversations }: MemoryRows): ConversationTable {
  return {
    get: (id) => conversations.get(id),
    active: (key, names) => conversations.named(key, names).filter(({ taskComplete }) => !taskComplete),
    latestId: (key) => conversations.named(key, [key.sender]).find(({ sender }) => sender === key.sender)?.id,
    put: (conversation) => conversations.put(conversation),
    named: (key, names) => conversations.named(key, names),
    list({ search, active, ...page }) {
      const matches = conversations
        .newestFirst()
        .filter(
          (each) =>
            (active === undefined || each.taskComplete !== active) &&
            (search === undefined || each.id.startsWith(search) || isNamedLike(each, search)),
        );
      return paged(matches, page);
    },
  };
}

function nameTable({ names }: MemoryRows): NameTable {
  return {
    records: (key, of) =>
      new Map(
        of.flatMap((name) => {
          const record = names.get(nameKey(key, name));
          return record ? [[name, record] as const] : [];
        }),
      ),
    put: (key, name, record) =>
      void (record ? names.set(nameKey(key, name), record) : names.delete(nameKey(key, name))),
  };
}

function rememberedTable({ remembered }: MemoryRows): RememberedTable {
  return {
    has: (id) => remembered.has(id),
    add(ids, untilAtMs) {
      for (const id of ids) remembered.set(id, untilAtMs);
    },
    forget(ids) {
      for (const id of ids) remembered.delete(id);
    },
  };
}

function refusalTable(rows: MemoryRows): RefusalTable {
  return {
    put: (refusal) => void rows.refusals.push(refusal),
    latest(id, max, bytesMax) {
      const theirs = rows.refusals.filter((each) => each.conversationId === id);
      return latestWithin(lastOf(theirs, max), bytesMax);
    },
    list: (page) => paged([...rows.refusals].reverse(), page),
  };
}

function deadLetterTable(rows: MemoryRows): DeadLetterTable {
  return {
    put: (letter) => void rows.dead.set(letter.id, letter),
    get: (id) => rows.dead.get(id),
    delete: (id) => void rows.dead.delete(id),
    of: (id) => rows.lettersOf(id),
    latest: (id, max, bytesMax) => latestWithin(lastOf(rows.lettersOf(id), max), bytesMax),
    list: (page) => paged([...rows.dead.values()].reverse(), page),
  };
}

function unknownSendTable({ unknown }: MemoryRows): UnknownSendTable {
  return {
    put: (each) => void unknown.set(each.id, each),
    get: (id) => unknown.get(id),
    delete: (id) => void unknown.delete(id),
    latest(id, max, bytesMax) {
      const theirs = [...unknown.values()].filter(({ conversationId }) => conversationId === id);
      return latestWithin(lastOf(theirs, max), bytesMax);
    },
    list: (page) => paged([...unknown.values()].reverse(), page),
  };
}

function metaTable(rows: MemoryRows): MetaTable {
  return {
    ping: () => {},
    isPaused: () => rows.paused,
    setPaused(paused) {
      rows.paused = paused;
    },
    projectChange: (project) => rows.projects.get(project),
    projectChanges: () => rows.projects,
    setProjectChange: (project, change) =>
      void (change ? rows.projects.set(project, change) : rows.projects.delete(project)),
    noteTime(nowMs) {
      rows.clockNote = { ...rows.clockNote, latestAtMs: Math.max(nowMs, rows.clockNote?.latestAtMs ?? 0) };
    },
    clockNote: () => rows.clockNote,
    setClockNote(note) {
      rows.clockNote = note;
    },
    arrangement: () => rows.arrangement,
    setArrangement(arrangement) {
      rows.arrangement = arrangement;
    },
    memories: () => rows.memories,
    setMemories(memories) {
      rows.memories = memories;
    },
    watched: () => watchedIn(rows),
    counts: () => ({
      ...watchedIn(rows),
      conversations: rows.conversations.size,
      windows: [...rows.states.values()].filter(({ window }) => window).length,
      leases: [...rows.states.values()].filter(({ lease }) => lease).length,
      turns: [...rows.turns.values()].reduce((sum, each) => sum + each.length, 0),
      refusals: rows.refusals.length,
      paused: rows.paused,
    }),
  };
}

function watchedIn({ staged, dead, unknown }: MemoryRows): WatchedCounts {
  return {
    staged: [...staged.values()].reduce((sum, each) => sum + each.size, 0),
    dead: dead.size,
    unknown: unknown.size,
    quarantined: 0,
  };
}
