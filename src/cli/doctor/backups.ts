import { join, resolve } from "node:path";
import { halfCopiesIn } from "../../engines/sqlite/half-copy.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** Where people mostly put them; nobody keeps a list. */
const FOLDERS = [".", "backups"];

/** What backups left behind that were killed: nobody deletes it by age, and erasing a person does not reach it. */
export async function checkHalfCopies(folders: readonly string[]): Promise<CheckResult[]> {
  const places = folders.flatMap((folder) => FOLDERS.map((name) => resolve(join(folder, name))));
  const left = (await Promise.all([...new Set(places)].map(halfCopiesIn))).flat();
  if (left.length === 0) return [];
  return [
    warn("half a backup", `a backup was killed, and what it had copied is there: rm -r ${left.join(" ")}`),
  ];
}
