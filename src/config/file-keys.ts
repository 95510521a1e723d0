import { ConfigError } from "../errors.ts";
import { WINDOW } from "../runtime/window-config.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import { either, list, type ObjectSchema, options, record, type Schema, text } from "../schema/schema.ts";
import type { Knob } from "./knob.ts";
import { KNOBS } from "./knobs.ts";

const ANYTHING: Schema = {};

const CODE = "code, and belongs in a lull.config.ts";

/** What only code can be: an object with this function, or, without a name, a function itself. */
function code(method?: string): Schema {
  return { type: "function", ...(method !== undefined && { method }), description: `it is ${CODE}` };
}

/** What a file may hold: the knobs, and objects and functions that are code rather than values. */
export const FILE = options({
  ...knobsUnder(""),
  window: options(knobsUnder("window.")),
  limits: options(knobsUnder("limits.")),
  windows: { ...record(WINDOW), description: "channels and their windows" },
  project: options({ status: text(), allowedChannels: list(text()) }),
  // Checked where they are made.
  projects: ANYTHING,
  channels: ANYTHING,
  respond: ANYTHING,
  responder: ANYTHING,
  responders: ANYTHING,
  handOffTo: ANYTHING,
  secrets: code("get"),
  clock: code("nowMs"),
  log: code(),
  random: code(),
});

/** A misspelt key would silently change nothing, and a customer would find out. */
export function checkFile(content: Readonly<Record<string, unknown>>, name: string): void {
  checkOptions(content, FILE, name, "");
}

/** Of a file, a channel or a responder: names, and what each of them is. */
export function checkOptions(given: unknown, kinds: ObjectSchema, name: string, where: string): void {
  const [problem] = problemsIn(given, kinds, where, TO_PEOPLE);
  if (problem !== undefined) throw new ConfigError(`${name}: ${problem}`);
}

function knobsUnder(prefix: string): Record<string, Schema> {
  const own = KNOBS.filter(({ key, notInFile }) => !notInFile && key.startsWith(prefix)).map(
    (knob) => [knob.key.slice(prefix.length), inFile(knob)] as const,
  );
  return Object.fromEntries(own.filter(([key]) => !key.includes(".")));
}

function inFile({ kind, orCode }: Knob): Schema {
  if (orCode === undefined) return kind;
  return { ...either(kind, code(orCode)), description: `an object is ${CODE}` };
}
