import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

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
  const { path, exists } = await nearest(db);
  const { type, bavail, bsize } = await statfs(path);
  return [await checkWritable(path, db, exists), checkSpace(bavail * bsize, path), checkKind(type, path)];
}

/** The file itself, or the closest folder above it that is there. */
async function nearest(db: string): Promise<{ path: string; exists: boolean }> {
  let path = db;
  while (!(await can(path, constants.F_OK)) && dirname(path) !== path) path = dirname(path);
  return { path, exists: path === db };
}

async function checkWritable(path: string, db: string, exists: boolean): Promise<CheckResult> {
  if (!(await can(path, constants.W_OK))) return fail("database", `${path} cannot be written by this user`);
  // The log and the index lie beside the file, so the folder counts as well.
  if (exists && !(await can(dirname(db), constants.W_OK)))
    return fail("database", `${dirname(db)} cannot be written by this user`);
  return ok("database", exists ? `this user may write ${db}` : `${db} will be made at the first start`);
}

function checkSpace(bytes: number, path: string): CheckResult {
  const text = `${Math.floor(bytes / MB).toLocaleString("en")} MB free at ${path}`;
  if (bytes < TOO_LITTLE) return fail("disk space", `${text}: webhooks are refused when it is full`);
  return bytes < LITTLE ? warn("disk space", text) : ok("disk space", text);
}

/** A 32-bit type arrives with its sign on some systems. */
function checkKind(type: number, path: string): CheckResult {
  const network = NETWORK[type >>> 0];
  if (network !== undefined)
    return fail("file system", `${path} is on a network file system (${network}): use a local disk`);
  if (type >>> 0 === FUSE)
    return warn("file system", `${path} is on a FUSE file system: make sure that it is a local disk`);
  return ok("file system", "local");
}

function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
