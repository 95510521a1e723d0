import { lockRecord } from "../../core/lock-record.ts";
import { type ConversationState, wakeAtMs } from "../../core/state.ts";
import type { StateTable } from "../embedded/tables.ts";
import { type MemoryRows, paged } from "./rows.ts";

export function stateTable(rows: MemoryRows): StateTable {
  const { states } = rows;
  const hasOutbound = (id: string) => rows.stagedIn(id).some(({ kind }) => kind === "outbound");
  const idsWhere = (is: (state: ConversationState) => boolean) =>
    [...states].filter(([, state]) => is(state)).map(([id]) => id);
  return {
    get: (id) => states.get(id),
    put: (id, state) => void (state ? states.set(id, state) : states.delete(id)),
    restless: () => [...states.keys()],
    wakeable: (nowMs, max) =>
      [...states]
        .map(([id, state]) => ({ id, atMs: wakeAtMs(state) ?? Number.POSITIVE_INFINITY }))
        .filter(({ id, atMs }) => atMs <= nowMs && (!rows.paused || hasOutbound(id)))
        .sort((a, b) => a.atMs - b.atMs)
        .slice(0, max)
        .map(({ id }) => id),
    putOff(id, untilAtMs) {
      const state = states.get(id);
      if (state?.window) states.set(id, { ...state, window: { ...state.window, wakeAtMs: untilAtMs } });
    },
    wakeHeldFor(project, nowMs) {
      const held = [...states].filter(
        ([, { window, heldFor }]) => window && heldFor !== undefined && heldFor === (project ?? heldFor),
      );
      for (const [id, state] of held)
        if (state.window) states.set(id, { ...state, window: { ...state.window, wakeAtMs: nowMs } });
      return held.length;
    },
    nextWakeAtMs() {
      const times = [...states.values()].flatMap((state) => wakeAtMs(state) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    heldBy: (holder) => idsWhere(({ lease }) => lease?.holder === holder),
    holders: () => [...new Set([...states.values()].flatMap(({ lease }) => lease?.holder ?? []))],
    // Every id of a turn names its conversation: nothing here is older than its process.
    ofTurn: () => undefined,
    orphans: (_cursor, max, latestAtMs) => ({
      ids: [...rows.staged.keys()].filter((id) => !hasWakeUp(states.get(id), latestAtMs)).slice(0, max),
      next: "",
    }),
    locks: (page) =>
      paged(
        [...states].map(([id, state]) => ({
          ...lockRecord(id, state),
          staged: rows.staged.get(id)?.size ?? 0,
        })),
        page,
      ),
  };
}

function hasWakeUp(state: ConversationState | undefined, latestAtMs: number): boolean {
  return state !== undefined && (wakeAtMs(state) ?? Number.POSITIVE_INFINITY) <= latestAtMs;
}
