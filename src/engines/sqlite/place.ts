import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

const CHOOSE = "choose another path (--db, LULL_DB)";

/**
 * Why a database cannot be made or written at this path, and what to do about it. Undefined where nothing is
 * in the way; other users' files in its folder are told elsewhere.
 */
export function placeProblem(file: string): string | undefined {
  const path = resolve(file);
  const there = statOf(path);
  if (there?.isDirectory()) return `${path} is a folder: name a file in it (--db, LULL_DB)`;
  const folder = nearestFolder(dirname(path));
  if (typeof folder === "string") return folder;
  return [...(there === undefined ? [] : [path]), folder.path]
    .map(notWritten)
    .find((why) => why !== undefined);
}

/** The folder itself, or the closest above it that is there: in it the rest would be made. */
function nearestFolder(folder: string): { readonly path: string } | string {
  for (let path = folder; ; path = dirname(path)) {
    const there = statOf(path);
    if (there?.isDirectory()) return { path };
    if (there !== undefined) return `${path} is a file where a folder has to be: ${CHOOSE}, or move it away`;
    if (dirname(path) === path) return `there is no folder ${folder}, and no way to make it: ${CHOOSE}`;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    // What this user may not even look at is told by the folder above it.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return undefined;
    throw error;
  }
}

function notWritten(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EROFS") return `${path} is on a file system that is read-only: ${CHOOSE}`;
    return `${path} cannot be written by this user: make it that user's (chown), or ${CHOOSE}`;
  }
}
