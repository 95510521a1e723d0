import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { placeProblem } from "../../engines/sqlite/place.ts";
import { type CheckResult, fail, ok, skip, warn } from "./check-result.ts";

const MB = 1_000_000;
const LITTLE = 1_000 * MB;
const TOO_LITTLE = 100 * MB;

/** SQLite's locks cannot be relied on there: two machines, or a lost connection, end in a broken file. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "CIFS",
  4266872130: "SMB2",
  16914839: "9P",
  1397113167: "AFS",
  12805120: "Ceph",
  198183888: "Lustre",
  22092144: "GFS2",
  1952539503: "OCFS2",
};
/** It may hide anything, from a local disk to a bucket. */
const FUSE = 1702057286;

/** Where the database is or will be: one that this user may write, with room, on a disk of this machine. */
export async function checkDisk(db: string): Promise<CheckResult[]> {
  const problem = placeProblem(db);
  // What is in the way is no place of ours, so nothing else is said of it.
  if (problem !== undefined) return [fail("database", problem)];
  const path = await nearest(db);
  const { type, bavail, bsize } = await statfs(path);
  return [checkPlace(db, path === db), checkSpace(bavail * bsize, path), checkKind(type, path)];
}

/** The file itself, or the closest folder above it that is there. */
async function nearest(db: string): Promise<string> {
  let path = db;
  while (!(await isThere(path)) && dirname(path) !== path) path = dirname(path);
  return path;
}

function checkPlace(db: string, exists: boolean): CheckResult {
  if (exists) return ok("database", `this user may write ${db}`);
  return ok("database", `nothing is in the way of ${db}, which the first start makes`);
}

function checkSpace(bytes: number, path: string): CheckResult {
  const text = `${Math.floor(bytes / MB).toLocaleString("en")} MB free at ${path}`;
  if (bytes < TOO_LITTLE) return fail("disk space", `${text}: webhooks are refused when it is full`);
  return bytes < LITTLE ? warn("disk space", text) : ok("disk space", text);
}

/** A 32-bit type arrives with its sign on some systems. Only Linux has these numbers. */
function checkKind(type: number, path: string): CheckResult {
  if (process.platform !== "linux")
    return skip("file system", `${path}: this system does not tell whether it is a disk of this machine`);
  const network = NETWORK[type >>> 0];
  if (network !== undefined)
    return fail("file system", `${path} is on a network file system (${network}): use a local disk`);
  if (type >>> 0 === FUSE)
    return warn("file system", `${path} is on a FUSE file system: make sure that it is a local disk`);
  return ok("file system", `${path} is on none that is known to be of a network`);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
