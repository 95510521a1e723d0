import { didYouMean } from "../core/suggest.ts";
import { ConfigError } from "../errors.ts";
import { type Kind, SECONDS, TEXT, valueFromFile } from "./knob.ts";
import { KNOBS } from "./knobs.ts";
import { isRecord } from "./settle.ts";

/** What a file may hold beside the knobs: objects and functions that are code rather than values. */
const OBJECTS = [
  "channels",
  "windows",
  "respond",
  "responder",
  "responders",
  "handOffTo",
  "project",
  "secrets",
  "log",
  "clock",
  "random",
];

const PROJECT: Readonly<Record<string, Kind>> = {
  status: TEXT,
  allowedChannels: { type: "texts", list: true },
};

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  window: keysUnder("window"),
  limits: keysUnder("limits"),
  project: Object.keys(PROJECT),
};

/** A misspelt key would silently change nothing, and be found by a customer. */
export function checkKeys(content: Readonly<Record<string, unknown>>, name: string): void {
  checkOne(content, [...topLevel(), ...OBJECTS], name, "");
  for (const [group, allowed] of Object.entries(GROUPS)) {
    const value = content[group];
    if (value === undefined) continue;
    if (!isRecord(value))
      throw new ConfigError(`${name}: ${group} must be an object with ${allowed.join(", ")}`);
    checkOne(value, allowed, name, `${group}.`);
  }
  checkOptions(isRecord(content.project) ? content.project : {}, PROJECT, name, "project.");
  checkWindows(content.windows, name);
  checkCode(content, name);
}

const WINDOW: Readonly<Record<string, Kind>> = {
  seconds: SECONDS,
  quietSeconds: SECONDS,
  maxSeconds: SECONDS,
};

function checkWindows(windows: unknown, name: string): void {
  if (windows === undefined) return;
  if (!isRecord(windows))
    throw new ConfigError(`${name}: windows must be an object: channels and their windows`);
  for (const [channel, window] of Object.entries(windows)) {
    const where = `windows.${channel}`;
    if (!isRecord(window) || (window.seconds === undefined && window.quietSeconds === undefined))
      throw new ConfigError(`${name}: ${where} must be { seconds } or { quietSeconds, maxSeconds }`);
    checkOptions(window, WINDOW, name, `${where}.`);
  }
}

/** What only code can be, by the function that makes it one; without a name it is that function itself. */
const CODE: Readonly<Record<string, string | undefined>> = {
  engine: "open",
  secrets: "get",
  clock: "nowMs",
  log: undefined,
  random: undefined,
};

function checkCode(content: Readonly<Record<string, unknown>>, name: string): void {
  for (const [key, method] of Object.entries(CODE)) {
    const value = content[key];
    if (value === undefined || (key === "engine" && typeof value === "string")) continue;
    const found = method === undefined ? value : isRecord(value) ? value[method] : undefined;
    if (typeof found === "function") continue;
    const what = method === undefined ? "a function" : `an object with a function ${method}`;
    throw new ConfigError(`${name}: ${key} must be ${what}: it is code, and belongs in a lull.config.ts`);
  }
}

/** Of a channel or a responder: names, and what each of them is. */
export function checkOptions(
  options: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, Kind>>,
  name: string,
  prefix: string,
): void {
  checkOne(options, Object.keys(kinds), name, prefix);
  for (const [key, kind] of Object.entries(kinds)) {
    const value = Object.hasOwn(options, key) ? options[key] : undefined;
    if (value !== undefined) valueFromFile(kind, value, `${name}: ${prefix}${key}`);
  }
}

export function checkOne(value: object, allowed: readonly string[], name: string, prefix: string): void {
  for (const key of Object.keys(value)) {
    if (allowed.includes(key)) continue;
    throw new ConfigError(`${name}: ${prefix}${key} is not a known setting${didYouMean(key, allowed)}`);
  }
}

function topLevel(): string[] {
  return KNOBS.filter((knob) => !knob.notInFile).map((knob) => knob.key.split(".")[0] as string);
}

function keysUnder(group: string): string[] {
  const prefix = `${group}.`;
  return KNOBS.filter((knob) => knob.key.startsWith(prefix)).map((knob) => knob.key.slice(prefix.length));
}
