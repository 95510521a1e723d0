import type { StagedItem } from "../../../core/found.ts";
import { itemOf } from "../../../core/staged.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { PileEnd, StagedSpan, StagedTable } from "../../embedded/tables.ts";
import { type ReadRows, rowsWithin } from "../rows.ts";
import { isLossy, type Row, type Statements } from "../statements.ts";

/**
 * No message weighs more than a body may, so a larger value is foreign. Read as it is, it could be more than
 * JavaScript can count and make the read fail for every other row, or fill the pile and keep the customer's
 * next messages out.
 */
const BYTES = "CASE WHEN bytes BETWEEN 0 AND 1000000000 THEN bytes END";
/** The same for times, as far as a calendar goes, and for places in a payload. */
const ARRIVED = "CASE WHEN arrived_at_ms BETWEEN 0 AND 8640000000000000 THEN arrived_at_ms END";
const SENT = "CASE WHEN sent_at_ms BETWEEN -8640000000000000 AND 8640000000000000 THEN sent_at_ms END";
const POSITION = "CASE WHEN position BETWEEN 0 AND 1000000000 THEN position END";
const PILE_BYTES = "CASE WHEN pile_bytes BETWEEN 0 AND 8000000000000000 THEN pile_bytes END";
const SINCE = "CASE WHEN pile_since_ms BETWEEN 0 AND 8640000000000000 THEN pile_since_ms END";
/** The columns are not filled in, or hold something foreign. */
const IS_ODD = `(${ARRIVED}) IS NULL OR (${POSITION}) IS NULL
  OR ((${SENT}) IS NULL AND sent_at_ms IS NOT NULL)`;

/** The same for its place in the order of staging. */
const SEQUENCE = `CASE WHEN typeof(sequence) = 'integer' AND sequence BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}
  THEN sequence END`;

export const STAGED_COLUMNS = `${SEQUENCE} AS sequence, id, conversation_id, kind, item, ${BYTES} AS bytes`;
const OF_CONVERSATION = `SELECT ${STAGED_COLUMNS} FROM staged WHERE conversation_id = ?`;
const STAGED = `${OF_CONVERSATION} ORDER BY staged.sequence`;
const AT = `${OF_CONVERSATION} AND staged.sequence = ?`;
/** Ids that are asked for are nearly always at the front: the rest of the pile is not searched for more. */
const STAGED_AS = `SELECT ${STAGED_COLUMNS} FROM staged WHERE conversation_id = ?1
  AND id IN (SELECT value FROM json_each(?2)) ORDER BY staged.sequence LIMIT json_array_length(?2)`;
const LATELY =
  "FROM staged WHERE conversation_id = ? AND kind = 'message' ORDER BY staged.sequence DESC LIMIT ?";
const UNCOUNTED = `${OF_CONVERSATION} AND (${SEQUENCE}) IS NULL`;
const ODD = `${OF_CONVERSATION} AND (${IS_ODD})`;

export const PILE = `SELECT count(*) AS messages, total(${BYTES}) AS bytes, total(id = ?2) AS holds
  FROM staged WHERE conversation_id = ?1`;
/**
 * What is foreign here is NULL: then the pile is counted. A row whose sequence is foreign has no place in the
 * order: the next one is staged after the last that has.
 */
export const END = `SELECT ${SEQUENCE} AS sequence, ${PILE_BYTES} AS bytes, ${SINCE} AS since FROM staged
  WHERE conversation_id = ? AND staged.sequence < ${Number.MAX_SAFE_INTEGER}
    AND typeof(staged.sequence) = 'integer'
  ORDER BY staged.sequence DESC LIMIT 1`;
export const SPAN = `SELECT count(*) AS messages, min(${ARRIVED}) AS oldest, max(${ARRIVED}) AS newest,
    count(${SENT}) AS timed, max(${SEQUENCE}) AS last, total(${IS_ODD}) AS odd,
    total(${BYTES}) AS bytes, min(${BYTES}) AS least
  FROM staged WHERE conversation_id = ?1 AND kind = 'message'
    AND id NOT IN (SELECT value FROM json_each(?2))`;

const ITEM = `SELECT ${SEQUENCE} AS sequence, conversation_id, id, kind, ${ARRIVED} AS arrived,
  ${SENT} AS sent, ${POSITION} AS position, ${BYTES} AS bytes`;
const FRONT = `${ITEM} FROM staged WHERE conversation_id = ? AND kind = 'message' ORDER BY`;
export const FRONT_BY_ARRIVAL = `${FRONT} arrived, position, sequence LIMIT ?`;
export const FRONT_BY_PROVIDER = `${FRONT} sent, arrived, position, sequence LIMIT ?`;
export const FIRST_OUTBOUND = `${ITEM} FROM staged INDEXED BY staged_outbounds
  WHERE conversation_id = ? AND kind = 'outbound' ORDER BY staged.sequence LIMIT 1`;
const REMOVE = `DELETE FROM staged WHERE conversation_id = ?1 AND id IN (SELECT value FROM json_each(?2))`;

/** What waits for its turn. The order is decided by columns before the item: only taken items are read. */
export function stagedTable(sql: Statements, readRows: ReadRows): StagedTable {
  const read = (rows: readonly Row[]): StagedRow[] => readRows("staged", rows);

  const at = (id: string, sequence: Row[string] | undefined) => read(sql.all(AT, id, sequence ?? null));
  const spanIn = (id: string, row: Row | undefined) => spanOf(row, () => at(id, row?.last)[0]);
  const as = (id: string, ids: readonly string[]) => sql.all(STAGED_AS, id, JSON.stringify(ids));
  /** Rows that no sequence finds are found by that; the others of them by theirs. */
  const isSetAside = (id: string, { sequence }: Row) =>
    (sequence === null ? read(sql.all(UNCOUNTED, id)) : at(id, sequence)).length === 0;
  /** A row whose id or sequence is foreign is set aside, and the next one takes its place. */
  const items = (id: string, look: () => Row[]): StagedItem[] => {
    const rows = look();
    const strange = rows.filter((row) => !isId(row.id) || row.sequence === null);
    const setAside = strange.filter((row) => isSetAside(id, row));
    return setAside.length > 0 && sql.isWriting ? items(id, look) : rows.map(itemFrom);
  };
  return {
    add: (row, end = endIn(sql, row.conversationId)) => addRow(sql, row, end),
    all: (id) => read(sql.all(STAGED, id)),
    of(id, ids) {
      const found = as(id, ids);
      const rows = read(found);
      // One that bore the id of another is set aside now, and was read in the other's place.
      return rows.length < found.length && sql.isWriting ? read(as(id, ids)) : rows;
    },
    latest(id, messagesMax, bytesMax) {
      const wanted = { columns: STAGED_COLUMNS, long: "item" };
      return read(rowsWithin(sql, LATELY, wanted, [id], messagesMax, bytesMax).rows).reverse();
    },
    firstOutbound: (id) => items(id, () => sql.all(FIRST_OUTBOUND, id))[0],
    front: (id, messagesMax, { byProvider }) =>
      items(id, () => sql.all(byProvider ? FRONT_BY_PROVIDER : FRONT_BY_ARRIVAL, id, messagesMax)),
    span(id, without = []) {
      const look = () => sql.get(SPAN, id, JSON.stringify(without));
      const row = look();
      if (Number(row?.odd) === 0 || !sql.isWriting) return spanIn(id, row);
      mend(sql, read(sql.all(ODD, id)));
      return spanIn(id, look());
    },
    count: (id) => Number(sql.get("SELECT count(*) AS n FROM staged WHERE conversation_id = ?", id)?.n),
    end: (id) => endIn(sql, id),
    pile(id, messageId = "") {
      // Not `sum`: a foreign row's huge number would break it.
      const row = sql.get(PILE, id, messageId);
      return { messages: Number(row?.messages), bytes: Number(row?.bytes), holds: Number(row?.holds) > 0 };
    },
    remove: (id, ids) => void sql.run(REMOVE, id, JSON.stringify(ids)),
  };
}

export const EMPTY_PILE: PileEnd = { messages: 0, bytes: 0, sinceAtMs: Number.POSITIVE_INFINITY };

function endIn(sql: Statements, id: string): PileEnd {
  const row = sql.get(END, id);
  if (!row) return EMPTY_PILE;
  const { sequence, bytes, since } = row;
  return {
    messages: Number(sequence),
    bytes: bytes === null ? Number.POSITIVE_INFINITY : Number(bytes),
    sinceAtMs: Number(since),
  };
}

const isId = (id: Row[string] | undefined) => typeof id === "string" && !isLossy(id);

const ADD = `INSERT INTO staged (conversation_id, sequence, id, kind, bytes, pile_bytes, pile_since_ms,
  arrived_at_ms, sent_at_ms, position, item) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function addRow(sql: Statements, row: StagedRow, end: PileEnd): void {
  const item = JSON.stringify(row.kind === "message" ? row.message : row.outbound);
  const { arrivedAtMs, sentAtMs = null, position } = itemOf(row);
  const { conversationId, id, kind, bytes } = row;
  const pileBytes = Number.isFinite(end.bytes) ? end.bytes + bytes : null;
  const sinceAtMs = Math.min(end.sinceAtMs, arrivedAtMs);
  const sequence = end.messages + 1;
  sql.run(
    ADD,
    conversationId,
    sequence,
    id,
    kind,
    bytes,
    pileBytes,
    sinceAtMs,
    arrivedAtMs,
    sentAtMs,
    position,
    item,
  );
}

/** Odd columns are filled in from their item, which is the truth; a row without a sound item is set aside. */
function mend(sql: Statements, odd: readonly StagedRow[]): void {
  for (const row of odd) {
    const { arrivedAtMs, position, sentAtMs, sequence } = itemOf(row);
    sql.run(
      `UPDATE staged SET arrived_at_ms = ?, sent_at_ms = ?, position = ?
         WHERE conversation_id = ? AND sequence = ?`,
      arrivedAtMs,
      sentAtMs ?? null,
      position,
      row.conversationId,
      sequence,
    );
  }
}

function spanOf(row: Row | undefined, newestOf: () => StagedRow | undefined): StagedSpan | undefined {
  const messages = Number(row?.messages);
  if (messages === 0) return undefined;
  const newest = newestOf();
  return {
    messages,
    bytes: Number(row?.bytes),
    oldestArrivalAtMs: Number(row?.oldest),
    newestArrivalAtMs: Number(row?.newest),
    byProvider: row?.timed === messages,
    newestChannel: newest?.kind === "message" ? newest.message.channel : undefined,
    bytesMin: Number(row?.least ?? 0),
  };
}

function itemFrom({ sequence, id, kind, arrived, sent, position, bytes }: Row): StagedItem {
  const item = {
    kind: kind === "outbound" ? ("outbound" as const) : ("message" as const),
    id: String(id),
    arrivedAtMs: Number(arrived),
    position: Number(position),
    sequence: Number(sequence),
    bytes: Number(bytes),
  };
  return sent === null || sent === undefined ? item : { ...item, sentAtMs: Number(sent) };
}
