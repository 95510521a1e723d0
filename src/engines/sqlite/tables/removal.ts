import type { IsErasedOn } from "../../../core/erased-refusals.ts";
import { isAbout } from "../../../core/named-rows.ts";
import type { Removal } from "../../embedded/tables.ts";
import { Expiry } from "../expiry.ts";
import type { RowCache } from "../row-cache.ts";
import type { Statements } from "../statements.ts";
import { noteErased, tracesLeft } from "../traces.ts";

export function removal(sql: Statements, cache: RowCache): Removal {
  const expiry = new Expiry(sql);
  return {
    noteErased: () => noteErased(sql),
    named(names, isErasedOn, isAsideToo = isErasedOn === undefined) {
      // There is no index by name: each refusal would cost one more page. Erasures are rare.
      const written = names.map((name) => `"sender":${JSON.stringify(name)}`);
      if (isErasedOn) {
        for (const number of written.flatMap((sender) => refusedOn(sql, sender, isErasedOn)))
          sql.run("DELETE FROM refusals WHERE number = ?", number);
      } else for (const sender of written) sql.run("DELETE FROM refusals WHERE instr(record, ?) > 0", sender);
      if (!isAsideToo) return;
      for (const number of quarantined(sql, (raw) => isAbout(raw, names)))
        sql.run("DELETE FROM quarantine WHERE number = ?", number);
    },
    tracesLeft: () => tracesLeft(sql),
    expire(past, max) {
      const { turns, ...expired } = expiry.round(past, max);
      // Not for ids, of which some are over with nearly every sweep: histories would be read for nothing.
      if (turns > 0) cache.histories.clear();
      return expired;
    },
  };
}

/** Rows that are no JSON name no channel: the next reading sets them aside. */
function refusedOn(sql: Statements, sender: string, isErasedOn: IsErasedOn): number[] {
  const channel = "iif(json_valid(record), record ->> '$.channel', NULL)";
  return sql
    .all(`SELECT number, ${channel} AS channel FROM refusals WHERE instr(record, ?) > 0`, sender)
    .flatMap((row) => (isErasedOn(String(row.channel)) ? [Number(row.number)] : []));
}

/** In small pages: a row may be large, and their number is unlimited. */
function quarantined(sql: Statements, isWanted: (raw: string) => boolean): number[] {
  const wanted: number[] = [];
  for (let last = 0; ; ) {
    const rows = sql.all(
      "SELECT number, raw FROM quarantine WHERE number > ? ORDER BY number LIMIT 50",
      last,
    );
    for (const { number, raw } of rows) if (isWanted(String(raw))) wanted.push(Number(number));
    if (rows.length === 0) return wanted;
    last = Number(rows.at(-1)?.number);
  }
}
