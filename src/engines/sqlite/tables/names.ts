import type { ConversationKey } from "../../../model/conversation.ts";
import type { NameRecord } from "../../../model/names.ts";
import type { NameTable } from "../../embedded/tables.ts";
import { nameKey, type RowCache } from "../row-cache.ts";
import type { ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

const NAMED = "FROM names WHERE channel_type = ?1 AND address = ?2 AND name";

const RECORD = `SELECT number, name, record ${NAMED} = ?3`;

/** Records of the names under which people write. */
export function nameTable(sql: Statements, readRows: ReadRows, cache: RowCache): NameTable {
  const recordOf = ({ channelType, address }: ConversationKey, name: string) => {
    const key = nameKey({ channelType, address }, name);
    if (cache.names.has(key)) return cache.names.get(key);
    const rows = sql.all(RECORD, channelType, address, name);
    const record = readRows("names", rows)[0]?.record;
    cache.names.keep(key, record, String(rows[0]?.record).length);
    return record;
  };
  return {
    records(key, names) {
      const records = new Map<string, NameRecord>();
      for (const name of names) {
        const record = recordOf(key, name);
        if (record) records.set(name, record);
      }
      return records;
    },
    put(key, name, record) {
      const { channelType, address } = key;
      const text = JSON.stringify(record);
      cache.names.keep(nameKey(key, name), record, text?.length ?? 0);
      if (record === undefined) sql.run(`DELETE ${NAMED} = ?3`, channelType, address, name);
      else
        sql.run(
          `INSERT INTO names (channel_type, address, name, record) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (channel_type, address, name) DO UPDATE SET record = excluded.record`,
          channelType,
          address,
          name,
          text,
        );
    },
  };
}
