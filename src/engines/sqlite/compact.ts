import type { CompactReport } from "../../ports/engine.ts";
import { openConnection } from "./connection.ts";
import { rewrite, sizeOf } from "./traces.ts";

/** Writes the database anew while a service may run on it: whoever writes waits as long. */
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
