import type { SecretReference } from "../ports/secrets.ts";
import { isObject } from "../schema/is-object.ts";
import { checkFile } from "./file-keys.ts";
import { type Knob, type Value, valueFromFile, valueFromText } from "./knob.ts";
import { KNOBS } from "./knobs.ts";
import { checkNamed, namedSecret } from "./named-secret.ts";

/** For the construct, to which this file is the door to what a configuration may say. */
export { keyNamePlaces, type Place, queuePlaces, secretPlaces } from "./content.ts";

/** Holds what a `lull.config.json` would hold, for functions and containers that bring no file. */
export const CONFIG_VARIABLE = "LULL_CONFIG";

/** Later layers win: defaults, then the file, then the environment, then flags. */
export const LAYER = { default: 0, file: 1, environment: 2, flag: 3 } as const;

/** A value and where it was set. */
export interface Setting {
  readonly knob: Knob;
  readonly value: Value;
  readonly layer: number;
  /** `default`, `lull.config.ts`, `LULL_DB` or `--db`: what a person has to look at to change it. */
  readonly origin: string;
}

export type ResolvedSettings = ReadonlyMap<string, Setting>;

export interface Layers {
  /** Name and content of the file, where there is one. */
  readonly file?: { readonly name: string; readonly content: Readonly<Record<string, unknown>> };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Readonly<Record<string, unknown>>;
}

/**
 * Decides each value. All of them are checked, also those that a later layer overrides, so that a typo is
 * found at once.
 */
export function resolveSettings(layers: Layers): ResolvedSettings {
  checkNamed(layers.env);
  const resolved = new Map<string, Setting>();
  for (const knob of KNOBS) {
    const winner = [
      fromFlag(knob, layers.flags),
      fromEnvironment(knob, layers.env),
      fromFile(knob, layers.file),
      fromDefault(knob),
    ].find((setting) => setting !== undefined);
    if (winner) resolved.set(knob.key, winner);
  }
  return resolved;
}

/**
 * Everything that is wrong with variables, in words: for a program that passes them to a service elsewhere.
 */
export function problemsInVariables(env: Layers["env"]): string[] {
  const looks = [() => checkNamed(env), ...KNOBS.map((knob) => () => fromEnvironment(knob, env))];
  return looks.flatMap((look) => {
    try {
      look();
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** What is wrong with the content of a file, as far as it can be told without the code beside it. */
export function problemsInContent(content: Readonly<Record<string, unknown>>, name: string): string[] {
  try {
    checkFile(content, name);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function fromFlag(knob: Knob, flags: Layers["flags"]): Setting | undefined {
  const given = knob.flag === undefined ? undefined : flags[knob.flag];
  if (given === undefined) return undefined;
  const origin = `--${knob.flag}`;
  const value = typeof given === "boolean" ? given : valueFromText(knob, String(given), origin);
  return { knob, value, layer: LAYER.flag, origin };
}

function fromEnvironment(knob: Knob, env: Layers["env"]): Setting | undefined {
  const named = namedSecret(knob, env);
  if (named) return { knob, ...named, layer: LAYER.environment };
  const given = knob.env === undefined ? undefined : env[knob.env];
  // Compose files and CI hand on unset variables as empty ones.
  if (given === undefined || given.trim() === "") return undefined;
  const origin = knob.env as string;
  return { knob, value: valueFromText(knob, given, origin), layer: LAYER.environment, origin };
}

function fromFile(knob: Knob, file: Layers["file"]): Setting | undefined {
  if (file === undefined || knob.notInFile) return undefined;
  const given = atPath(file.content, knob.key);
  if (given === undefined) return undefined;
  const value =
    knob.orCode && isObject(given)
      ? String(given.name)
      : valueFromFile(knob.kind, given, `${file.name}: ${knob.key}`);
  return { knob, value, layer: LAYER.file, origin: file.name };
}

function fromDefault(knob: Knob): Setting | undefined {
  if (knob.default === undefined) return undefined;
  return { knob, value: knob.default, layer: LAYER.default, origin: "default" };
}

/** Where a secret is. By reference: the secret itself need not travel through objects that may be printed. */
export function referenceIn({ knob, layer, value }: Setting): SecretReference {
  const isInVariable = layer === LAYER.environment && typeof value === "string" && knob.env !== undefined;
  return isInVariable ? { env: knob.env } : (value as SecretReference);
}

function atPath(content: unknown, key: string): unknown {
  return key.split(".").reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), content);
}
