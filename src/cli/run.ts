import { parseArgs } from "node:util";
import { load } from "../config/load.ts";
import { version } from "../process/version.ts";
import { didYouMean } from "../schema/suggest.ts";
import { CATALOGUE, type Entry, type Group } from "./catalogue.ts";
import type { Call, Command } from "./command.ts";
import { ENGINES } from "./engines.ts";
import { COMMON, commandHelp, groupHelp, helpTitles, mainHelp, settingOptions } from "./help.ts";
import type { Io } from "./io.ts";
import { namedSecrets } from "./named-secrets.ts";
import { isVerbose, reportError } from "./report-error.ts";
import { UsageError } from "./usage-error.ts";

/** Runs one command line to its exit code. Everything that a command throws ends here, as one line. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return reportError(error, isVerbose(argv, io), io);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  if (name === "--version" || name === "-v") return print(io, version());
  if (name === undefined || name === "--help" || name === "-h")
    return print(io, mainHelp(version(), io.columns));
  // Many users type `lull help start`.
  if (name === "help") return dispatch([...rest, "--help"], io);
  const found = find(CATALOGUE, name, "command");
  return "commands" in found ? dispatchGroup(found, rest, io) : callEntry(found, found.name, rest, io);
}

function dispatchGroup(group: Group, argv: readonly string[], io: Io): Promise<number> | number {
  const [first, ...rest] = argv;
  if (first === "--help" || first === "-h") return print(io, groupHelp(group, io.columns));
  const named = first !== undefined && !first.startsWith("-");
  const wanted = named ? first : group.bare;
  if (wanted === undefined) return print(io, groupHelp(group, io.columns));
  const entry = find(group.commands, wanted, `command of lull ${group.name}`);
  return callEntry(entry, `${group.name} ${entry.name}`, named ? rest : argv, io);
}

function find<T extends { readonly name: string }>(entries: readonly T[], name: string, what: string): T {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const names = entries.map((entry) => entry.name);
  throw new UsageError(
    `${name} is not a ${what}${didYouMean(name, names) || `. There are: ${names.join(", ")}`}`,
  );
}

async function callEntry(entry: Entry, name: string, argv: readonly string[], io: Io): Promise<number> {
  const command = await entry.load();
  if (argv.includes("--help") || argv.includes("-h"))
    return print(io, commandHelp(name, command, io.columns));
  try {
    return await command.run(parse(name, command, argv, io));
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(error.message, { name, usage: command.usage }) : error;
  }
}

/** Options and arguments of one command; what it does not know is an error with a suggestion. */
function parse(name: string, command: Command, argv: readonly string[], io: Io): Call {
  const options = { ...command.options, ...settingOptions(command.settings), ...COMMON };
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: false,
    options: Object.fromEntries(Object.entries(options).map(([key, { type }]) => [key, { type }])),
  });
  for (const [key, value] of Object.entries(values)) checkOption(name, key, value, options);
  checkArguments(name, command, positionals);
  const given = values as Call["options"];
  const file = typeof given.config === "string" ? given.config : undefined;
  return {
    args: positionals,
    options: given,
    json: given.json === true,
    io,
    load: (purpose) =>
      load({ file, env: io.env, flags: given, cwd: io.cwd, purpose, engines: ENGINES, namedSecrets }),
  };
}

function checkOption(
  name: string,
  key: string,
  value: unknown,
  options: Readonly<Record<string, { type: string }>>,
): void {
  const option = Object.hasOwn(options, key) ? options[key] : undefined;
  if (!option) {
    throw new UsageError(`${name} has no option --${key}${didYouMean(key, Object.keys(options), "--")}`);
  }
  // `--status --json`: the value was forgotten, and the next option would be taken for it.
  const isForgotten = typeof value === "string" && /^--[a-z]/.test(value);
  if (option.type === "string" && (typeof value !== "string" || isForgotten))
    throw new UsageError(`--${key} needs a value`);
  if (option.type === "boolean" && typeof value !== "boolean")
    throw new UsageError(`--${key} takes no value`);
}

function checkArguments(name: string, command: Command, given: readonly string[]): void {
  const { required, optional = [], more } = command.args ?? { required: [] };
  const missing = required[given.length];
  if (missing !== undefined) throw new UsageError(`${name} needs ${missing}`);
  const extra = given[required.length + optional.length];
  if (extra !== undefined && !more) throw new UsageError(`${name} does not know what to do with "${extra}"`);
}

function print(io: Io, text: string): number {
  io.out(text, helpTitles);
  return 0;
}
