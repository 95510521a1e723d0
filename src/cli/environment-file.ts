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
  const { values, notes } = assignmentsOf(found.text);
  const late = tooLateForNode(values, env);
  for (const [name, value] of values) if (!isSet(env[name]) && !late.includes(name)) env[name] = value;
  return [...notes, ...lateNotes(late)].map((note) => `.env ${note}`);
}

/**
 * What Node reads at its own start, or tells a process that it starts: here it came too late, and counted in
 * workers alone, which a wrong one keeps from starting. What it reads at each use is not among them.
 */
const READ_AT_START = new Set(
  [
    "OPTIONS PATH DEBUG DEBUG_NATIVE ICU_DATA V8_COVERAGE TEST_CONTEXT",
    "EXTRA_CA_CERTS USE_SYSTEM_CA USE_ENV_PROXY CLUSTER_SCHED_POLICY",
    "COMPILE_CACHE COMPILE_CACHE_PORTABLE DISABLE_COMPILE_CACHE SKIP_PLATFORM_CHECK",
    "NO_WARNINGS PENDING_DEPRECATION REDIRECT_WARNINGS DISABLE_COLORS",
    "PRESERVE_SYMLINKS PRESERVE_SYMLINKS_MAIN",
    "CHANNEL_FD CHANNEL_SERIALIZATION_MODE UNIQUE_ID",
  ].flatMap((names) => names.split(" ").map((name) => `NODE_${name}`)),
);

/** Those of them that are not set already by who started this process. */
export function tooLateForNode(
  values: Assignments["values"],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return [...values.keys()].filter((name) => READ_AT_START.has(name) && !isSet(env[name]));
}

export function lateNotes(late: readonly string[]): string[] {
  if (late.length === 0) return [];
  return [`sets ${late.join(", ")} too late for Node: that is passed over. Set it where lull is started`];
}

/** The name, where it is one: Node takes all that stands before a `=`. */
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)[^\S\n]*=/;
const OPEN_QUOTE = new RegExp(`${ASSIGNMENT.source}[^\\S\\n]*(["'\`])`);
/** systemd takes both for a comment. */
const NOTHING = /^\s*([#;]|$)/;
const LINES_NAMED_MAX = 5;

export interface Assignments {
  readonly values: ReadonlyMap<string, string>;
  /** What was passed over, in words that hold nothing of it: it may be a secret. */
  readonly notes: readonly string[];
}

/** One by one: Node's own reading of a whole file takes the next line for the value of `NAME= `. */
export function assignmentsOf(text: string): Assignments {
  const values = new Map<string, string>();
  const others: number[] = [];
  for (const { line, statement } of statementsOf(text)) {
    const name = ASSIGNMENT.exec(statement)?.[1];
    if (name !== undefined) values.set(name, Object.values(parseEnv(statement))[0] ?? "");
    else if (!NOTHING.test(statement)) others.push(line);
  }
  return { values, notes: others.length === 0 ? [] : [noAssignments(others)] };
}

function noAssignments(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines[0]} is no NAME=value: it is passed over`;
  const more = lines.length - LINES_NAMED_MAX;
  const named = lines.slice(0, LINES_NAMED_MAX).join(", ");
  return `lines ${named}${more > 0 ? ` and ${more} more` : ""} are no NAME=value: they are passed over`;
}

/** Lines, or several where a value in quotes goes on. */
function* statementsOf(text: string): Generator<{ line: number; statement: string }> {
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const end = endOfStatement(text, at);
    const statement = text.slice(at, end);
    yield { line, statement };
    line += statement.split("\n").length;
    at = end + 1;
  }
}

function endOfStatement(text: string, at: number): number {
  const end = endOfLine(text, at);
  const [opening, , quote] = OPEN_QUOTE.exec(text.slice(at, end)) ?? [];
  if (opening === undefined || quote === undefined) return end;
  const closing = text.indexOf(quote, at + opening.length);
  return closing === -1 ? end : endOfLine(text, closing);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
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
  if (bytes.length <= ENVIRONMENT_FILE_BYTES_MAX) return decoded(bytes);
  const max = ENVIRONMENT_FILE_BYTES_MAX / 1_000_000;
  return { passedOver: `is larger than ${max} MB: it is passed over` };
}

function decoded(bytes: Buffer): FoundText {
  const mark = bytes.toString("hex", 0, 2);
  if (mark === "fffe" || mark === "feff")
    return { passedOver: "is UTF-16, and has to be UTF-8: it is passed over" };
  if (bytes.includes(0)) return { passedOver: "has NUL bytes, and has to be UTF-8: it is passed over" };
  // Some editors begin a file with a mark, which would be part of the first name.
  return {
    text: bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .replaceAll("\r\n", "\n"),
  };
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
