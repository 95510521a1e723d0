import { dirname, resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { inPublicUnits } from "../model/limits.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { ConfigFile } from "./file.ts";
import { LAYER, type ResolvedSettings, type Setting } from "./resolve-settings.ts";

/**
 * How the caller gets each engine that it can run with. Only the chosen one is loaded: a bundle for one
 * engine need not hold the others, and users install no packages for an engine that they do not use.
 */
export interface EngineLoaders {
  readonly sqlite?: (options: { readonly file: string }) => EngineProvider | Promise<EngineProvider>;
  readonly aws?: () => EngineProvider | Promise<EngineProvider>;
}

export interface ConfiguredEngine {
  readonly provider: EngineProvider;
  /** The database file in full, where the engine has one that we chose. */
  readonly db: string | undefined;
}

/**
 * An engine of the file gives way to LULL_ENGINE and --engine when they name another kind, and SQLite's also
 * to LULL_DB and --db.
 */
export async function engineFrom(
  file: ConfigFile | undefined,
  resolved: ResolvedSettings,
  cwd: string,
  loaders: EngineLoaders,
): Promise<ConfiguredEngine> {
  const own = ownEngine(file);
  const chosen = resolved.get("engine") as Setting;
  const db = resolved.get("db") as Setting;
  const kind = chosen.layer > LAYER.file || own === undefined ? String(chosen.value) : own.name;
  const isSqlite = kind.startsWith("sqlite");
  const keepsOwn = own?.name.startsWith(kind) && !(isSqlite && db.layer > LAYER.file);
  if (own && keepsOwn) return { provider: own, db: undefined };
  if (!isSqlite) return { provider: await loader(loaders, "aws")(), db: undefined };
  // A path in the file is relative to the file's folder, one on the command line to the current folder.
  const base = db.layer === LAYER.file && file ? dirname(file.path) : cwd;
  const path = resolve(base, db.value as string);
  return { provider: await loader(loaders, "sqlite")({ file: path }), db: path };
}

function ownEngine(file: ConfigFile | undefined): EngineProvider | undefined {
  const given = file?.content.engine;
  return typeof given === "object" ? (given as EngineProvider) : undefined;
}

function loader<K extends keyof EngineLoaders>(loaders: EngineLoaders, kind: K) {
  const found = loaders[kind];
  if (found !== undefined) return found as NonNullable<EngineLoaders[K]>;
  throw new ConfigError(`engine ${kind} cannot be used here; there is ${Object.keys(loaders).join(", ")}`);
}

/**
 * What an engine says of its own defaults counts as default: `lull config` shows what is in force, and no
 * database file that is not used.
 */
export function withEngineDefaults(
  resolved: ResolvedSettings,
  { provider, db }: ConfiguredEngine,
): ResolvedSettings {
  const { defaults = {} } = provider;
  const used = [...resolved].filter(([key]) => key !== "db" || db !== undefined);
  const entries = used.map(([key, setting]): [string, Setting] => {
    const { limit } = setting.knob;
    const value = limit && defaults[limit];
    if (setting.layer !== LAYER.default || limit === undefined || value === undefined) return [key, setting];
    return [key, { ...setting, value: inPublicUnits(limit, value) }];
  });
  return new Map(entries);
}
