import type { NameTable } from "../../embedded/tables.ts";
import type { ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";

const NAMED = "FROM names WHERE channel_type = ?1 AND address = ?2 AND name";

const RECORD = `SELECT number, name, record ${NAMED} = ?3`;

/** Records of the names under which people write. */
export function nameTable(sql: Statements, readRows: ReadRows): NameTable {
  return {
    records({ channelType, address }, names) {
      const rows = names.flatMap((name) => sql.all(RECORD, channelType, address, name));
      return new Map(readRows("names", rows).map(({ name, record }) => [name, record]));
    },
    put({ channelType, address }, name, record) {
      if (record === undefined) sql.run(`DELETE ${NAMED} = ?3`, channelType, address, name);
      else
        sql.run(
          `INSERT INTO names (channel_type, address, name, record) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (channel_type, address, name) DO UPDATE SET record = excluded.record`,
          channelType,
          address,
          name,
          JSON.stringify(record),
        );
    },
  };
}
