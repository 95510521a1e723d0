import { inOrder } from "../../core/batch.ts";
import { RECENT_TURNS } from "../../core/defaults.ts";
import { providerIdsOf } from "../../core/draft.ts";
import { latestWithin } from "../../core/history.ts";
import { pileOf } from "../../core/pile.ts";
import { type ConversationState, wakeAtMs } from "../../core/state.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { NameRecord } from "../../model/names.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { TurnRecord } from "../../model/turn.ts";
import type { UnknownSend } from "../../model/unknown-send.ts";
import type { Counts, Listing, LockRecord, Page } from "../../ports/inspector.ts";
import { messagesOf } from "../embedded/context.ts";
import { lockRecord } from "../embedded/steps/inspect.ts";
import { itemOf } from "../embedded/steps/waiting.ts";
import type { ClockMark, Fate, StagedRow, StoredDeadLetter, Tables } from "../embedded/tables.ts";
import { nameKey, Registry } from "./registry.ts";

/** The tables as plain maps. Nothing survives the process: for tests, and for the simulator. */
export function memoryTables(): Tables {
  const conversations = new Registry();
  const names = new Map<string, NameRecord>();
  const staged = new Map<string, Map<string, StagedRow>>();
  /** In which conversation an id is staged. */
  const stagedIds = new Map<string, string>();
  const remembered = new Map<string, { fate: Fate; untilAtMs: number }>();
  const states = new Map<string, ConversationState>();
  const messages = new Map<string, HistoryMessage[]>();
  const turns = new Map<string, TurnRecord[]>();
  const deliveries = new Map<string, { turnId: string | undefined; status: string; atMs: number }>();
  const dead = new Map<string, StoredDeadLetter>();
  const unknown = new Map<string, UnknownSend>();
  let refusals: Refusal[] = [];
  let sequence = 0;
  let paused = false;
  let clockMark: ClockMark | undefined;

  const rowsIn = (id: string) => [...(staged.get(id)?.values() ?? [])];
  const turnsOf = (id: string) => turns.get(id) ?? [];
  const hasOutbound = (id: string) => rowsIn(id).some(({ kind }) => kind === "outbound");

  return {
    conversation: (id) => conversations.get(id),
    activeConversations: (key, names) =>
      conversations.named(key, names).filter(({ taskComplete }) => !taskComplete),
    latestConversationId: (key) =>
      conversations.named(key, [key.sender]).find(({ sender }) => sender === key.sender)?.id,
    putConversation: (conversation) => conversations.put(conversation),
    nameRecords: (key, of) =>
      new Map(
        of.flatMap((name) => {
          const record = names.get(nameKey(key, name));
          return record ? [[name, record] as const] : [];
        }),
      ),
    putNameRecord: (key, name, record) =>
      void (record ? names.set(nameKey(key, name), record) : names.delete(nameKey(key, name))),
    conversationsOf: (key, names) => conversations.named(key, names),
    eraseConversation(id) {
      for (const row of staged.get(id)?.values() ?? []) stagedIds.delete(row.id);
      const drafts = [...dead.values()].flatMap(({ conversationId, draft }) =>
        conversationId === id && draft ? [draft] : [],
      );
      const works = states.get(id)?.works ?? [];
      const turnIds = new Set([...turnsOf(id), ...works, ...drafts].map(({ turnId }) => turnId));
      for (const [key, { turnId }] of deliveries) {
        if (turnId !== undefined && turnIds.has(turnId)) deliveries.delete(key);
      }
      const wasKept = [conversations, staged, states, messages, turns].map((map) => map.delete(id));
      const belonging = [dead, unknown].flatMap((map) =>
        [...map].flatMap(([key, each]) => (each.conversationId === id ? map.delete(key) : [])),
      );
      const before = refusals.length;
      refusals = refusals.filter((each) => each.conversationId !== id);
      return [...wasKept, ...belonging, refusals.length < before].includes(true);
    },

    stage(row) {
      if (stagedIds.has(row.id)) return false;
      sequence += 1;
      const rows = staged.get(row.conversationId) ?? new Map<string, StagedRow>();
      staged.set(row.conversationId, rows.set(row.id, numbered(row, sequence)));
      stagedIds.set(row.id, row.conversationId);
      return true;
    },
    staged: rowsIn,
    stagedAs: (id, ids) => {
      const wanted = new Set(ids);
      return rowsIn(id).filter((row) => wanted.has(row.id));
    },
    stagedLately(id, messagesMax, bytesMax) {
      return latestWithin(lastOf(messagesOf(rowsIn(id)), messagesMax), bytesMax, ({ message }) => message);
    },
    firstOutbound: (id) =>
      rowsIn(id)
        .map(itemOf)
        .find(({ kind }) => kind === "outbound"),
    front: (id, messagesMax, { byProvider }) =>
      inOrder(messagesOf(rowsIn(id)).map(itemOf), byProvider).slice(0, messagesMax),
    span(id, without = []) {
      const batch = new Set(without);
      const waiting = messagesOf(rowsIn(id)).filter((row) => !batch.has(row.id));
      if (waiting.length === 0) return undefined;
      const arrivals = waiting.map(({ message }) => message.arrivedAtMs);
      return {
        messages: waiting.length,
        oldestArrivalAtMs: Math.min(...arrivals),
        newestArrivalAtMs: Math.max(...arrivals),
        byProvider: waiting.every(({ message }) => message.sentAtMs !== undefined),
        newestChannel: waiting.at(-1)?.message.channel,
      };
    },
    stagedCount: (id) => staged.get(id)?.size ?? 0,
    pile: (id) => pileOf(rowsIn(id)),
    unstage(id, ids) {
      const rows = staged.get(id);
      for (const each of ids) {
        rows?.delete(each);
        stagedIds.delete(each);
      }
      if (rows?.size === 0) staged.delete(id);
    },
    seenBefore(id) {
      const fate = remembered.get(id)?.fate;
      const stagedIn = stagedIds.get(id);
      return { ...(fate && { fate }), ...(stagedIn !== undefined && { stagedIn }) };
    },
    remember(ids, fate, untilAtMs) {
      for (const id of ids) remembered.set(id, { fate, untilAtMs });
    },
    forget(ids) {
      for (const id of ids) remembered.delete(id);
    },

    state: (id) => states.get(id),
    putState: (id, state) => void (state ? states.set(id, state) : states.delete(id)),
    restless: () => [...states.keys()],
    noteTime(nowMs) {
      clockMark = {
        ...clockMark,
        latestAtMs: Math.max(nowMs, clockMark?.latestAtMs ?? 0),
      };
    },
    clockMark: () => clockMark,
    setClockMark(mark) {
      clockMark = mark;
    },
    wakeable: (nowMs, max) =>
      [...states]
        .map(([id, state]) => ({ id, atMs: wakeAtMs(state) ?? Number.POSITIVE_INFINITY }))
        .filter(({ id, atMs }) => atMs <= nowMs && (!paused || hasOutbound(id)))
        .sort((a, b) => a.atMs - b.atMs)
        .slice(0, max)
        .map(({ id }) => id),
    putOff(id, untilAtMs) {
      const state = states.get(id);
      if (state?.window) states.set(id, { ...state, window: { ...state.window, wakeAtMs: untilAtMs } });
    },
    nextWakeAtMs() {
      const times = [...states.values()].flatMap((state) => wakeAtMs(state) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    heldBy: (holder) => [...states].filter(([, state]) => state.lease?.holder === holder).map(([id]) => id),
    holders: () => [...new Set([...states.values()].flatMap((state) => state.lease?.holder ?? []))],
    conversationOfTurn: (turnId) =>
      [...states].find(([, state]) => state.works.some((work) => work.turnId === turnId))?.[0],

    appendMessages: (id, added) => void messages.set(id, [...(messages.get(id) ?? []), ...added]),
    history: (id, max, bytesMax) => latestWithin(lastOf(messages.get(id) ?? [], max), bytesMax),
    appendTurn(turn) {
      const { turnId, conversationId, channel, providerIds, committedAtMs: atMs } = turn;
      turns.set(conversationId, [...turnsOf(conversationId), turn]);
      for (const id of providerIds) deliveries.set(`${channel}/${id}`, { turnId, status: "sent", atMs });
    },
    recentProviderIds(id) {
      const letters = [...dead.values()].filter(({ conversationId }) => conversationId === id);
      return [
        ...turnsOf(id)
          .slice(-RECENT_TURNS)
          .flatMap(({ providerIds }) => providerIds),
        ...letters.slice(-RECENT_TURNS).flatMap(({ draft }) => (draft ? providerIdsOf(draft) : [])),
      ];
    },
    putDelivery(channel, status, turnId, atMs) {
      const key = `${channel}/${status.providerId}`;
      const known = deliveries.get(key);
      if (!known && turnId === undefined) return false;
      deliveries.set(key, { turnId: turnId ?? known?.turnId, status: status.status, atMs });
      return true;
    },
    putRefusal: (refusal) => void refusals.push(refusal),
    eraseNamed(names) {
      refusals = refusals.filter((each) => !names.includes(each.sender));
    },
    // A process's memory is no file.
    tracesLeft: () => undefined,
    putDead: (letter) => void dead.set(letter.id, letter),
    dead: (id) => dead.get(id),
    lettersOf: (id) => [...dead.values()].filter(({ conversationId }) => conversationId === id),
    deleteDead: (id) => void dead.delete(id),
    putUnknown: (each) => void unknown.set(each.id, each),
    unknown: (id) => unknown.get(id),
    deleteUnknown: (id) => void unknown.delete(id),
    ping: () => {},
    isPaused: () => paused,
    setPaused(value) {
      paused = value;
    },

    orphans: (_cursor, max, latestAtMs) => ({
      ids: [...staged.keys()].filter((id) => !hasWakeUp(states.get(id), latestAtMs)).slice(0, max),
      next: "",
    }),
    expire(past, max) {
      const tooMany = Math.max(0, refusals.length - past.refusalsMax);
      const old = [
        ...[...remembered].flatMap(([id, { untilAtMs }]) =>
          untilAtMs <= past.nowMs ? [() => remembered.delete(id)] : [],
        ),
        ...[...deliveries].flatMap(([key, { atMs }]) =>
          atMs < past.deliveriesAfterMs ? [() => deliveries.delete(key)] : [],
        ),
        ...[...messages].flatMap(([id, kept]) =>
          olderIn(messages, id, kept, past.keepAfterMs, ({ atMs }) => atMs),
        ),
        ...[...turns].flatMap(([id, kept]) =>
          olderIn(turns, id, kept, past.keepAfterMs, ({ committedAtMs }) => committedAtMs),
        ),
        ...refusals.flatMap((each, at) =>
          at < tooMany || each.atMs < past.refusalsAfterMs
            ? [() => refusals.splice(refusals.indexOf(each), 1)]
            : [],
        ),
      ];
      for (const remove of old.slice(0, max)) remove();
      return { rows: Math.min(old.length, max), isCut: old.length >= max };
    },

    // Nobody but this process writes here.
    setAside: () => {},
    discardQuarantined: () => false,

    listConversations({ search, active, ...page }) {
      const matches = conversations
        .newestFirst()
        .filter(
          (each) =>
            (active === undefined || each.taskComplete !== active) &&
            (search === undefined || each.id === search || each.sender.includes(search)),
        );
      return paged(matches, page);
    },
    listTurns: (id, max, bytesMax) => latestWithin(lastOf(turnsOf(id), max), bytesMax),
    listRefusalsOf: (id, max, bytesMax) =>
      latestWithin(
        lastOf(
          refusals.filter((each) => each.conversationId === id),
          max,
        ),
        bytesMax,
      ),
    listLocks: (page): Listing<LockRecord> =>
      paged(
        [...states].map(([id, state]) => lockRecord(id, state, staged.get(id)?.size ?? 0)),
        page,
      ),
    listDead: (page) => paged([...dead.values()].reverse(), page),
    listUnknown: (page) => paged([...unknown.values()].reverse(), page),
    listRefusals: (page) => paged([...refusals].reverse(), page),
    listQuarantined: () => ({ items: [] }),
    counts: (): Counts => ({
      conversations: conversations.size,
      staged: stagedIds.size,
      windows: [...states.values()].filter(({ window }) => window).length,
      leases: [...states.values()].filter(({ lease }) => lease).length,
      turns: [...turns.values()].reduce((sum, each) => sum + each.length, 0),
      dead: dead.size,
      unknown: unknown.size,
      refusals: refusals.length,
      quarantined: 0,
      paused,
    }),
  };
}

/** None of them where none is asked for. */
function lastOf<T>(all: readonly T[], max: number): T[] {
  return all.slice(Math.max(0, all.length - max));
}

/** A removal for each that is older, oldest first. */
function olderIn<T>(
  all: Map<string, T[]>,
  id: string,
  kept: readonly T[],
  afterMs: number,
  atMsOf: (item: T) => number,
): (() => void)[] {
  const old = kept.filter((item) => atMsOf(item) < afterMs);
  return old.map(
    (item) => () =>
      void all.set(
        id,
        all.get(id)!.filter((each) => each !== item),
      ),
  );
}

function hasWakeUp(state: ConversationState | undefined, latestAtMs: number): boolean {
  return state !== undefined && (wakeAtMs(state) ?? Number.POSITIVE_INFINITY) <= latestAtMs;
}

function numbered(row: StagedRow, sequence: number): StagedRow {
  return row.kind === "message" ? { ...row, message: { ...row.message, sequence } } : { ...row, sequence };
}

function paged<T>(items: readonly T[], { limit, cursor }: Page): Listing<T> {
  const from = Number(cursor ?? 0);
  const next = from + limit < items.length ? { next: String(from + limit) } : {};
  return { items: items.slice(from, from + limit), ...next };
}
