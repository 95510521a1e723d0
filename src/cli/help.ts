import { type Knob, unitOf } from "../config/knob.ts";
import { KNOBS } from "../config/knobs.ts";
import { CATALOGUE, type Group } from "./catalogue.ts";
import type { Command, Options } from "./command.ts";
import { inked, type Paint } from "./output/colour.ts";
import { wrapped } from "./output/wrapped.ts";

/** How wide the terminal is; absent where there is none. */
type Columns = number | undefined;

/** Options that every command takes. */
export const COMMON: Options = {
  config: { type: "string", value: "FILE", help: "configuration file (lull.config.ts, .js, .mjs or .json)" },
  json: { type: "boolean", help: "print JSON on stdout, nothing else there" },
  verbose: { type: "boolean", help: "print stack traces of errors" },
  help: { type: "boolean", help: "print this help" },
};

/** Flags that locate the data: all that a command that only looks needs. */
const STORE_FLAGS = new Set(["engine", "db", "log-level"]);

/** The settings of a command as options. */
export function settingOptions(settings: Command["settings"]): Options {
  const knobs = KNOBS.filter(
    (knob) => knob.flag !== undefined && (settings === "all" || STORE_FLAGS.has(knob.flag)),
  );
  return Object.fromEntries(
    knobs.map((knob) => {
      const value = knob.default ?? knob.otherwise;
      const help = `${knob.help}${value === undefined ? "" : ` (${String(value)})`}`.replaceAll("`", "");
      if (knob.kind.type === "boolean") return [knob.flag, { type: "boolean", help }];
      return [knob.flag, { type: "string", value: valueShown(knob), help }];
    }),
  );
}

/** Units that stand for themselves in the help. What is counted in pieces is a number. */
const TOLD_UNITS = ["seconds", "hours", "days", "bytes"];

function valueShown(knob: Knob): string {
  const { type } = knob.kind;
  if (type !== "number" && type !== "integer") return "TEXT";
  const unit = unitOf(knob);
  return unit !== undefined && TOLD_UNITS.includes(unit) ? unit.toUpperCase() : "N";
}

/** The words that stand alone above what they are about. */
export const helpTitles: Paint = (shown) =>
  shown.replace(/^(?:Commands|Options|Settings|Examples|Usage:)(?= |$)/gm, (title) => inked("strong", title));

export function mainHelp(version: string, columns?: Columns): string {
  return [
    `lull ${version}: waits for the lull in a chat, then answers once.`,
    "",
    "Usage: lull <command> [options]",
    "",
    "Commands",
    ...rows(
      CATALOGUE.map(({ name, summary }) => [name, summary]),
      columns,
    ),
    "",
    "Options",
    ...rows([
      ["--help", "help for a command: lull start --help"],
      ["--version", "print the version"],
    ]),
    "",
    "Settings come from lull.config.ts (.js, .mjs, .json), then the environment, then flags.",
    "First time here? Run: lull dev. A project of your own: lull init",
  ].join("\n");
}

export function groupHelp(group: Group, columns?: Columns): string {
  return [
    `lull ${group.name}: ${group.summary}`,
    "",
    `Usage: lull ${group.name} <command> [options]`,
    "",
    "Commands",
    ...rows(
      group.commands.map(({ name, summary }) => [name, summary]),
      columns,
    ),
    "",
    [
      ...(group.bare === undefined ? [] : [`Without a command: ${group.bare}.`]),
      `Help for one: lull ${group.name} ${group.bare ?? group.commands[0]?.name} --help`,
    ].join(" "),
  ].join("\n");
}

export function commandHelp(name: string, command: Command, columns?: Columns): string {
  const usage = command.usage === undefined ? "[options]" : command.usage;
  const settings = settingOptions(command.settings);
  const isAll = command.settings === "all";
  return [
    `Usage: lull ${name} ${usage}`,
    "",
    columns === undefined ? command.about : wrapped(command.about.replaceAll("\n", " "), 0, columns),
    ...section("Options", { ...command.options, ...(isAll ? {} : settings), ...COMMON }, columns),
    ...(isAll ? section("Settings", settings, columns) : []),
    ...(command.examples ? ["", "Examples", ...command.examples.map((example) => `  ${example}`)] : []),
  ].join("\n");
}

function section(title: string, options: Options, columns: Columns): string[] {
  const lines = Object.entries(options).map(([name, { value, help }]) => [
    `--${name}${value ? ` ${value}` : ""}`,
    help,
  ]);
  return lines.length === 0 ? [] : ["", title, ...rows(lines as [string, string][], columns)];
}

function rows(pairs: readonly (readonly [string, string])[], columns?: Columns): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => wrapped(`  ${left.padEnd(width)}  ${right}`, width + 4, columns));
}
