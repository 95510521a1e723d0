import { ConfigError } from "../../errors.ts";
import { didYouMean } from "../suggest.ts";
import { KNOBS } from "./knobs.ts";
import { isRecord } from "./settle.ts";

/** What a file may hold beside the knobs: objects and functions that are code rather than values. */
const OBJECTS = [
  "engine",
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

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  window: keysUnder("window"),
  limits: keysUnder("limits"),
  project: ["status", "allowedChannels"],
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
