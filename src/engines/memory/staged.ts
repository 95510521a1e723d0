import { inOrder } from "../../core/batch.ts";
import { latestWithin } from "../../core/history.ts";
import { pileOf } from "../../core/pile.ts";
import { itemOf, messagesOf } from "../../core/staged.ts";
import type { StagedRow } from "../../model/staged.ts";
import type { StagedTable } from "../embedded/tables.ts";
import { lastOf, type MemoryRows } from "./rows.ts";

export function stagedTable(rows: MemoryRows): StagedTable {
  return {
    add(row) {
      rows.sequence += 1;
      const mine = rows.staged.get(row.conversationId) ?? new Map<string, StagedRow>();
      rows.staged.set(row.conversationId, mine.set(row.id, numbered(row, rows.sequence)));
    },
    all: (id) => rows.stagedIn(id),
    of: (id, ids) => {
      const wanted = new Set(ids);
      return rows.stagedIn(id).filter((row) => wanted.has(row.id));
    },
    latest(id, messagesMax, bytesMax) {
      return latestWithin(
        lastOf(messagesOf(rows.stagedIn(id)), messagesMax),
        bytesMax,
        ({ message }) => message,
      );
    },
    firstOutbound: (id) =>
      rows
        .stagedIn(id)
        .map(itemOf)
        .find(({ kind }) => kind === "outbound"),
    front: (id, messagesMax, { byProvider }) =>
      inOrder(messagesOf(rows.stagedIn(id)).map(itemOf), byProvider).slice(0, messagesMax),
    span(id, without = []) {
      const batch = new Set(without);
      const waiting = messagesOf(rows.stagedIn(id)).filter((row) => !batch.has(row.id));
      if (waiting.length === 0) return undefined;
      const arrivals = waiting.map(({ message }) => message.arrivedAtMs);
      return {
        ...pileOf(waiting),
        oldestArrivalAtMs: Math.min(...arrivals),
        newestArrivalAtMs: Math.max(...arrivals),
        byProvider: waiting.every(({ message }) => message.sentAtMs !== undefined),
        newestChannel: waiting.at(-1)?.message.channel,
        bytesMin: Math.min(...waiting.map(({ bytes }) => bytes)),
      };
    },
    count: (id) => rows.staged.get(id)?.size ?? 0,
    end: (id) => ({
      ...pileOf(rows.stagedIn(id)),
      sinceAtMs: Math.min(...rows.stagedIn(id).map((row) => itemOf(row).arrivedAtMs)),
    }),
    pile: (id, messageId = "") => ({
      ...pileOf(rows.stagedIn(id)),
      holds: rows.staged.get(id)?.has(messageId) ?? false,
    }),
    remove(id, ids) {
      const mine = rows.staged.get(id);
      for (const each of ids) mine?.delete(each);
      if (mine?.size === 0) rows.staged.delete(id);
    },
  };
}

function numbered(row: StagedRow, sequence: number): StagedRow {
  return row.kind === "message" ? { ...row, message: { ...row.message, sequence } } : { ...row, sequence };
}
