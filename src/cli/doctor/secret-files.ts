import { stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import type { ConfigFile } from "../../config/file.ts";
import { isObject } from "../../schema/is-object.ts";
import { type CheckResult, warn } from "./check-result.ts";

/**
 * Readable by every account. A group is an operator's choice: the service's group may read a secret of
 * root's.
 */
const EVERY_ACCOUNT = 0o004;
/** What every account needs of a folder to reach what is in it. */
const ENTER = 0o001;
const DEPTH_MAX = 6;
/** Settings that hold a secret, where a text stands there. */
const SECRET_KEYS =
  /^(apiToken|turnToken|authToken|token|webhookSecret|secret|apiKey|authorization)$|[-_](key|token|secret)$/i;

/** Where containers get theirs, mostly as 0444: there are no other accounts inside, and nothing to change. */
const IN_CONTAINER = /^(\/var)?\/run\/secrets\//;

interface Secrets {
  readonly files: string[];
  /** Keys under which a secret itself stands. */
  readonly written: string[];
}

/**
 * Secrets that every account of this machine may read: in the files that the configuration names, or in the
 * configuration itself.
 */
export async function checkSecretFiles(config: ConfigFile | undefined, cwd: string): Promise<CheckResult[]> {
  if (config === undefined) return [];
  const found: Secrets = { files: [], written: [] };
  collect(config.content, "", found, DEPTH_MAX);
  const files = [...new Set(found.files.map((file) => resolve(cwd, file)))].filter(
    (file) => !IN_CONTAINER.test(file),
  );
  const open = await Promise.all(files.map(isReadableByAll));
  const readable = files.filter((_, at) => open[at]);
  // What a module exports may come from anywhere; in JSON it is written there.
  const isWritten = extname(config.path) === ".json" && found.written.length > 0;
  return [
    ...(readable.length > 0
      ? [warn("secrets", `every account of this machine may read them: chmod 600 ${readable.join(" ")}`)]
      : []),
    ...(isWritten && (await isReadableByAll(config.path)) ? [warn("secrets", inConfig(config, found))] : []),
  ];
}

function inConfig({ name, path }: ConfigFile, { written }: Secrets): string {
  return (
    `${written.join(", ")} of ${name} can be read by every account of this machine: ` +
    `give { "env" } or { "file" } there, or chmod 600 ${path}`
  );
}

function collect(value: unknown, at: string, found: Secrets, depth: number): void {
  if (depth === 0 || !isObject(value)) return;
  for (const [key, each] of Object.entries(value)) {
    const path = at === "" ? key : `${at}.${key}`;
    const isSecret = SECRET_KEYS.test(key) || /(^|\.)accounts$/.test(at);
    if (isSecret && typeof each === "string") found.written.push(path);
    else if (isFileReference(each)) found.files.push(each.file);
    else collect(each, path, found, depth - 1);
  }
}

function isFileReference(value: unknown): value is { readonly file: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.file === "string";
}

/** Its own rights, and those of each folder on the way to it. */
async function isReadableByAll(path: string): Promise<boolean> {
  if (!(await allows(path, EVERY_ACCOUNT))) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(await allows(folder, ENTER))) return false;
    if (dirname(folder) === folder) return true;
  }
}

async function allows(path: string, right: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && (found.mode & right) !== 0;
}
