import {
  type BufferedMessage,
  bufferedFrom,
  idsOf,
  type Junk,
  lockFrom,
  type SeedLock,
  type SeedRow,
  threadFrom,
  writtenWaId,
} from "./rows.ts";

/** A buffered message with the id that was made for it. */
export interface IdentifiedMessage extends BufferedMessage {
  readonly id: string;
  /** Its `rowid`; where rows have none its place in the table, from 1. */
  readonly row: number;
}

/** What the file holds of one customer. */
export interface SeedCustomer {
  readonly waId: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Oldest first. */
  readonly messages: readonly IdentifiedMessage[];
}

export interface JunkRow {
  readonly table: string;
  /** As of messages. */
  readonly row: number;
  readonly why: string;
  /** Whose it is, where it says so. */
  readonly waId?: string;
}

export interface SeedCustomers {
  readonly customers: readonly SeedCustomer[];
  /** All that are in the file, junk included. */
  readonly threads: number;
  /** Threads of a number that has another, spelt otherwise: the last one counts. */
  readonly merged: number;
  readonly messages: number;
  readonly locks: readonly SeedLock[];
  readonly junk: readonly JunkRow[];
}

type Tables = Readonly<Record<"threads" | "message_buffer" | "processing_lock", readonly SeedRow[]>>;

/** The rows of the file, by customer. */
export function customersIn(rows: Tables): SeedCustomers {
  const junk: JunkRow[] = [];
  const read = <T extends { kind: string }>(table: keyof Tables, from: (row: SeedRow) => T | Junk) =>
    rows[table].flatMap((row, at) => {
      const found = from(row);
      const number = typeof row.rowid === "bigint" ? Number(row.rowid) : at + 1;
      if (found.kind !== "junk") return [{ ...(found as T), row: number }];
      const waId = writtenWaId(row);
      junk.push({ table, row: number, why: (found as Junk).why, ...(waId !== "" && { waId }) });
      return [];
    });
  const threads = read("threads", threadFrom);
  const messages = oldestFirst(read("message_buffer", bufferedFrom));
  const attributes = new Map(threads.map((thread) => [thread.waId, thread.attributes]));
  const byCustomer = Map.groupBy(messages, ({ waId }) => waId);
  const customers = [...new Set([...attributes.keys(), ...byCustomer.keys()])].map((waId) => ({
    waId,
    attributes: attributes.get(waId) ?? {},
    messages: byCustomer.get(waId) ?? [],
  }));
  return {
    customers,
    threads: rows.threads.length,
    merged: threads.length - attributes.size,
    messages: rows.message_buffer.length,
    locks: read("processing_lock", lockFrom),
    junk,
  };
}

/** Rows of the same second stay as they lie. What has no time comes last: it says nothing about its age. */
function oldestFirst(messages: readonly Omit<IdentifiedMessage, "id">[]): IdentifiedMessage[] {
  const ids = idsOf(messages);
  const never = Number.MAX_SAFE_INTEGER;
  return messages
    .map((message, at) => ({ ...message, id: ids[at]! }))
    .sort((a, b) => (a.atMs ?? never) - (b.atMs ?? never));
}
