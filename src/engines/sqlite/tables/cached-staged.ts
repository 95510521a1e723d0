import { itemOf } from "../../../core/staged.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { PileEnd, StagedTable } from "../../embedded/tables.ts";
import type { RowCache } from "../row-cache.ts";
import { EMPTY_PILE } from "./staged.ts";

/** Rows of a pile that is kept, and their bytes. */
const KEPT_ROWS_MAX = 16;
const KEPT_BYTES_MAX = 4_000;

/** Staged rows, of which small piles are read once: the turn that takes them is the one that removes them. */
export function cachedStaged(staged: StagedTable, { piles, pileEnds }: RowCache): StagedTable {
  const keep = (id: string, rows: readonly StagedRow[]) => {
    const bytes = bytesOf(rows);
    if (rows.length <= KEPT_ROWS_MAX && bytes <= KEPT_BYTES_MAX) piles.put(id, rows, bytes);
    else piles.delete(id);
  };
  const end = (id: string) => pileEnds.getOr(id, () => staged.end(id));
  return {
    ...staged,
    end,
    add(row, before = end(row.conversationId)) {
      staged.add(row, before);
      const { conversationId: id } = row;
      const pile = piles.get(id);
      pileEnds.put(id, endAfter(before, row));
      if (pile) keep(id, [...pile, numbered(row, before.messages + 1)]);
    },
    all(id) {
      const known = piles.get(id);
      if (known) return [...known];
      const rows = staged.all(id);
      keep(id, rows);
      return rows;
    },
    of: (id, ids) => piles.get(id)?.filter((row) => ids.includes(row.id)) ?? staged.of(id, ids),
    remove(id, ids) {
      staged.remove(id, ids);
      const left = piles.get(id)?.filter((row) => !ids.includes(row.id));
      if (left) piles.put(id, left, bytesOf(left));
      if (left?.length === 0) pileEnds.put(id, EMPTY_PILE);
      else pileEnds.delete(id);
    },
  };
}

function bytesOf(rows: readonly StagedRow[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** As it is read back. */
function numbered(row: StagedRow, sequence: number): StagedRow {
  return row.kind === "outbound" ? { ...row, sequence } : { ...row, message: { ...row.message, sequence } };
}

function endAfter({ messages, bytes, sinceAtMs }: PileEnd, row: StagedRow): PileEnd {
  const { arrivedAtMs } = itemOf(row);
  return { messages: messages + 1, bytes: bytes + row.bytes, sinceAtMs: Math.min(sinceAtMs, arrivedAtMs) };
}
