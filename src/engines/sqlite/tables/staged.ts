import { itemOf } from "../../../core/staged.ts";
import type { StagedItem } from "../../../core/take.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { StagedSpan, StagedTable } from "../../embedded/tables.ts";
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
/** The columns are not filled in, or hold something foreign. */
const IS_ODD = `(${ARRIVED}) IS NULL OR (${POSITION}) IS NULL
  OR ((${SENT}) IS NULL AND sent_at_ms IS NOT NULL)`;

const COLUMNS = `sequence AS number, sequence, id, conversation_id, kind, item, ${BYTES} AS bytes`;
export const STAGED_ROW = `SELECT ${COLUMNS} FROM staged`;
const STAGED = `${STAGED_ROW} WHERE conversation_id = ? ORDER BY sequence`;
const STAGED_AS = `${STAGED_ROW} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY sequence`;
const LATELY = "FROM staged WHERE conversation_id = ? AND kind = 'message' ORDER BY sequence DESC LIMIT ?";
const ODD = `${STAGED_ROW} WHERE conversation_id = ? AND (${IS_ODD})`;

export const PILE = `SELECT count(*) AS messages, total(${BYTES}) AS bytes
  FROM staged WHERE conversation_id = ?`;
const WITHOUT = "sequence NOT IN (SELECT sequence FROM staged WHERE id IN (SELECT value FROM json_each(?)))";
export const SPAN = `SELECT count(*) AS messages, min(${ARRIVED}) AS oldest, max(${ARRIVED}) AS newest,
    count(${SENT}) AS timed, max(sequence) AS last, total(${IS_ODD}) AS odd
  FROM staged WHERE conversation_id = ? AND kind = 'message' AND ${WITHOUT}`;

const ITEM = `SELECT sequence, id, kind, ${ARRIVED} AS arrived, ${SENT} AS sent,
  ${POSITION} AS position, ${BYTES} AS bytes`;
const FRONT = `${ITEM} FROM staged WHERE conversation_id = ? AND kind = 'message' ORDER BY`;
export const FRONT_BY_ARRIVAL = `${FRONT} arrived, position, sequence LIMIT ?`;
export const FRONT_BY_PROVIDER = `${FRONT} sent, arrived, position, sequence LIMIT ?`;
export const FIRST_OUTBOUND = `${ITEM} FROM staged INDEXED BY staged_outbounds
  WHERE conversation_id = ? AND kind = 'outbound' ORDER BY sequence LIMIT 1`;

/** What waits for its turn. One index holds all that decides the order: only taken items are read. */
export function stagedTable(sql: Statements, readRows: ReadRows): StagedTable {
  const read = (rows: readonly Row[]): StagedRow[] => readRows("staged", rows);

  /** Odd columns are filled in from their item, the truth; a row without a valid item is set aside. */
  const at = (sequence: Row[string]) => read(sql.all(`${STAGED_ROW} WHERE sequence = ?`, sequence));
  const spanIn = (row: Row | undefined) => spanOf(row, () => at(row?.last ?? null)[0]);
  /** A row that its id does not find is foreign: it is set aside, and the next one takes its place. */
  const items = (look: () => Row[]): StagedItem[] => {
    const rows = look();
    const isStrange = ({ id, sequence }: Row) =>
      (typeof id !== "string" || isLossy(id)) && at(sequence ?? null).length === 0;
    return rows.filter(isStrange).length > 0 && sql.isWriting ? items(look) : rows.map(itemFrom);
  };
  return {
    add: (row) => addRow(sql, row),
    all: (id) => read(sql.all(STAGED, id)),
    of: (id, ids) =>
      read(sql.all(STAGED_AS, JSON.stringify(ids))).filter(({ conversationId }) => conversationId === id),
    latest(id, messagesMax, bytesMax) {
      const wanted = { columns: COLUMNS, long: "item" };
      return read(rowsWithin(sql, LATELY, wanted, [id], messagesMax, bytesMax).rows).reverse();
    },
    firstOutbound: (id) => items(() => sql.all(FIRST_OUTBOUND, id))[0],
    front: (id, messagesMax, { byProvider }) =>
      items(() => sql.all(byProvider ? FRONT_BY_PROVIDER : FRONT_BY_ARRIVAL, id, messagesMax)),
    span(id, without = []) {
      const look = () => sql.get(SPAN, id, JSON.stringify(without));
      const row = look();
      if (Number(row?.odd) === 0 || !sql.isWriting) return spanIn(row);
      mend(sql, read(sql.all(ODD, id)));
      return spanIn(look());
    },
    count: (id) => Number(sql.get("SELECT count(*) AS n FROM staged WHERE conversation_id = ?", id)?.n),
    pile(id) {
      // The index holds both, so no row is read. Not `sum`: a foreign row's huge number would break it.
      const row = sql.get(PILE, id);
      return { messages: Number(row?.messages), bytes: Number(row?.bytes) };
    },
    remove(_id, ids) {
      for (const each of ids) sql.run("DELETE FROM staged WHERE id = ?", each);
    },
  };
}

function addRow(sql: Statements, row: Parameters<StagedTable["add"]>[0]): boolean {
  const item = JSON.stringify(row.kind === "message" ? row.message : row.outbound);
  const { arrivedAtMs, sentAtMs, position } = itemOf(row);
  const changes = sql.run(
    `INSERT INTO staged (id, conversation_id, kind, bytes, item, arrived_at_ms, sent_at_ms, position)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    row.id,
    row.conversationId,
    row.kind,
    row.bytes,
    item,
    arrivedAtMs,
    sentAtMs ?? null,
    position,
  );
  return changes === 1;
}

/** Odd columns are filled in from their item, which is the truth; a row without a sound item is set aside. */
function mend(sql: Statements, odd: readonly StagedRow[]): void {
  for (const row of odd) {
    const { arrivedAtMs, position, sentAtMs, sequence } = itemOf(row);
    sql.run(
      "UPDATE staged SET arrived_at_ms = ?, sent_at_ms = ?, position = ? WHERE sequence = ?",
      arrivedAtMs,
      sentAtMs ?? null,
      position,
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
    oldestArrivalAtMs: Number(row?.oldest),
    newestArrivalAtMs: Number(row?.newest),
    byProvider: row?.timed === messages,
    newestChannel: newest?.kind === "message" ? newest.message.channel : undefined,
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
