import { access, readFile } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ConfigError } from "../errors.ts";
import { isObject } from "../schema/is-object.ts";
import { checkFile } from "./file-keys.ts";
import { missingPackage } from "./missing-package.ts";
import { CONFIG_VARIABLE } from "./resolve-settings.ts";

/** Looked for in this order, in the folder where `lull` is called. */
const FILE_NAMES = ["lull.config.ts", "lull.config.js", "lull.config.mjs", "lull.config.json"];

/** What `lull` leads to when a file of this clone imports it. */
const BUILD = fileURLToPath(new URL("../../dist/", import.meta.url));

export interface ConfigFile {
  readonly path: string;
  /** As it is named in messages. */
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Loads the file that was named, or what the variable holds, or the first file that is there. Undefined when
 * there is none: the environment is enough.
 */
export async function loadFile(
  named: string | undefined,
  cwd: string,
  variable: string | undefined,
): Promise<ConfigFile | undefined> {
  if (named === undefined && variable !== undefined && variable.trim() !== "")
    return fromVariable(variable, cwd);
  const path = named === undefined ? await firstPresent(cwd) : resolve(cwd, named);
  if (path === undefined) return undefined;
  if (!(await isPresent(path))) throw new ConfigError(`there is no configuration file ${named}`);
  const name = basename(path);
  const content = extname(path) === ".json" ? await parseJson(path, name) : await importModule(path, name);
  if (!isObject(content)) throw new ConfigError(`${name} ${expected(path)}`);
  checkFile(content, name);
  return { path, name, content };
}

function fromVariable(text: string, cwd: string): ConfigFile {
  const content = parsed(text, CONFIG_VARIABLE);
  if (!isObject(content)) throw new ConfigError(`${CONFIG_VARIABLE} must hold one JSON object`);
  checkFile(content, CONFIG_VARIABLE);
  return { path: resolve(cwd, CONFIG_VARIABLE), name: CONFIG_VARIABLE, content };
}

function expected(path: string): string {
  return extname(path) === ".json"
    ? "must hold one JSON object"
    : "must export its configuration: export default defineConfig({ ... })";
}

async function firstPresent(cwd: string): Promise<string | undefined> {
  for (const name of FILE_NAMES) {
    const path = resolve(cwd, name);
    if (await isPresent(path)) return path;
  }
  return undefined;
}

async function isPresent(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function parseJson(path: string, name: string): Promise<unknown> {
  return parsed(await readFile(path, "utf8"), name);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only where it is: the parser's own words quote the text, which may hold a secret.
    const [place] = /(line \d+ column \d+|position \d+)/.exec((error as Error).message) ?? ["its end"];
    throw new ConfigError(`${name} is not valid JSON: look at ${place}`);
  }
}

async function importModule(path: string, name: string): Promise<unknown> {
  try {
    return (await import(pathToFileURL(path).href)).default;
  } catch (error) {
    throw new ConfigError(`${name} could not be loaded: ${hint(error)}`, error);
  }
}

function hint(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const first = String(message ?? error).split("\n", 1)[0] ?? "";
  if (code === "ERR_MODULE_NOT_FOUND" && /package 'lull'/.test(first)) {
    return (
      "it imports lull, which is not installed beside it. Install there what you installed here: " +
      "npm install <the lull-….tgz that npm pack made>"
    );
  }
  if (code === "ERR_MODULE_NOT_FOUND" && first.startsWith(`Cannot find module '${BUILD}`)) {
    return "it imports lull, which is not built in this clone. Run: npm run build";
  }
  return missingPackage(error) ?? first;
}
