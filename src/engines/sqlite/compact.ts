import type { CompactReport } from "../../ports/engine.ts";
import { openConnection } from "./connection.ts";
import { rewrite, sizeOf } from "./traces.ts";

/** Rewrites the database while a service may run on it: writers wait as long. */
export function compact(file: string): CompactReport {
  const database = openConnection({ file, synchronous: "full" });
  try {
    const bytesBefore = sizeOf(database);
    const isClean = rewrite(database);
    return { bytesBefore, bytes: sizeOf(database), isClean };
  } finally {
    database.close();
  }
}
