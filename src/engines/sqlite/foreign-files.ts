import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Why this user cannot use the database, and whose it is: SQLite only says that it cannot open it. */
export function foreignFilesAt(file: string): string | undefined {
  const paths = [dirname(resolve(file)), file, `${file}-wal`, `${file}-shm`];
  const foreign = paths.flatMap((path) => ownerOf(path) ?? []);
  const us = process.getuid?.();
  if (foreign.length === 0 || us === undefined) return undefined;
  const [first] = foreign as [Foreign, ...Foreign[]];
  const names = foreign.map(({ path }) => path).join(" ");
  const whose = `${first.path} belongs to user ${first.uid} with rights ${first.rights}`;
  return `${whose}, and this is user ${us}: chown ${us} ${names}, or run it as the user of the service`;
}

interface Foreign {
  readonly path: string;
  readonly uid: number;
  readonly rights: string;
}

/** Undefined if the path is absent, or may be written by this user. */
function ownerOf(path: string): Foreign | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || mayWrite(path)) return undefined;
  return { path, uid: found.uid, rights: (found.mode & 0o777).toString(8) };
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
