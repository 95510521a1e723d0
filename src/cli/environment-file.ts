import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Far above any real one. What is larger is something else, and each command would take it into memory. */
export const ENVIRONMENT_FILE_BYTES_MAX = 1_000_000;

/** A file's text, or why it is passed over. */
export type FoundText = { readonly text: string } | { readonly passedOver: string };

/**
 * What stands in `.env` of the folder, as other tools take it: a variable that is set already counts over it.
 * One that this user may not read is the environment of a service, which was given it: `lull doctor` says so.
 * Returns what a person has to be told.
 */
export function takeEnvironmentFile(cwd: string, env: Record<string, string | undefined>): string[] {
  const found = foundOrNone(join(cwd, ".env"));
  if ("passedOver" in found) return [`.env ${found.passedOver}`];
  for (const [name, value] of Object.entries(parseEnv(found.text))) if (!isSet(env[name])) env[name] = value;
  return [];
}

/** An empty variable counts as not set, as everywhere in the configuration. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== "";
}

function foundOrNone(path: string): FoundText {
  try {
    return textOf(path);
  } catch {
    return { text: "" };
  }
}

/** Throws where there is none, or none that this user may read. A folder of that name is none. */
export function textOf(path: string): FoundText {
  const found = statSync(path);
  if (found.isDirectory()) return { text: "" };
  // Not even opened: a pipe waits for its writer, and a device may do anything.
  if (!found.isFile()) return { passedOver: "is no regular file: it is passed over" };
  const bytes = firstBytes(path, ENVIRONMENT_FILE_BYTES_MAX + 1);
  if (bytes.length <= ENVIRONMENT_FILE_BYTES_MAX) return { text: bytes.toString("utf8") };
  const max = ENVIRONMENT_FILE_BYTES_MAX / 1_000_000;
  return { passedOver: `is larger than ${max} MB: it is passed over` };
}

/** Counted while they are read: some files have more than they say. */
function firstBytes(path: string, count: number): Buffer {
  // Windows has no O_NONBLOCK. Elsewhere a pipe that has come in between is not waited for.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.allocUnsafe(fstatSync(file).isFile() ? count : 0);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
