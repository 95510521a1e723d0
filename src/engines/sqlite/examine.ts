import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { CheckResult } from "../../ports/check-result.ts";
import { whileBusy } from "./connection.ts";
import { inWords } from "./failure.ts";

/** Reads every page, which a service never does: damage may lie in pages that were not read since. */
export async function examine(file: string): Promise<readonly CheckResult[]> {
  if (!statSync(file, { throwIfNoEntry: false })) return [];
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    const found = whileBusy(() => database.prepare("PRAGMA quick_check(1)").get());
    const [word] = Object.values(found ?? {});
    return word === "ok" ? [] : [damaged(String(word))];
  } catch (error) {
    return [damaged(inWords(error))];
  } finally {
    database.close();
  }
}

function damaged(how: string): CheckResult {
  const detail = `the file is damaged: stop lull and restore a backup (${how.split("\n").at(-1)})`;
  return { check: "store", verdict: "fail", detail };
}
