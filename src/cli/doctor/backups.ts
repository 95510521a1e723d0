import { join, resolve } from "node:path";
import { halfCopiesIn } from "../../engines/sqlite/half-copy.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** Where operators mostly put them; there is no list of backups. */
const FOLDERS = [".", "backups"];

/** What killed backups left behind: it has no expiry, and erasing a person does not reach it. */
export async function checkHalfCopies(folders: readonly string[]): Promise<CheckResult[]> {
  const places = folders.flatMap((folder) => FOLDERS.map((name) => resolve(join(folder, name))));
  const left = (await Promise.all([...new Set(places)].map(halfCopiesIn))).flat();
  if (left.length === 0) return [];
  return [
    warn("half a backup", `a backup was killed, and what it had copied is there: rm -r ${left.join(" ")}`),
  ];
}
