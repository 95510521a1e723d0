import type { Knob } from "../../src/config/knob.ts";
import { KNOBS_BY_HEADING } from "../../src/config/knobs.ts";

const HEAD = "| environment | flag | in the file | default | |\n|---|---|---|---|---|";

/** The page with its tables of settings regenerated, each the first one under its heading. */
export function withTables(page: string): string {
  const { "Channels and the responder": _, ...inFile } = KNOBS_BY_HEADING;
  return Object.entries(inFile).reduce((text, [heading, knobs]) => {
    const start = text.indexOf("\n|", text.indexOf(`\n## ${heading}\n`)) + 1;
    const end = text.indexOf("\n\n", start);
    return text.slice(0, start) + [HEAD, ...knobs.map(rowOf)].join("\n") + text.slice(end);
  }, page);
}

function rowOf({ env, flag, key, default: value, otherwise = "", help, more = "" }: Knob): string {
  const code = (text: string | undefined) => (text === undefined ? "" : `\`${text}\``);
  const cells = [
    code(env),
    code(flag && `--${flag}`),
    code(key),
    value === undefined ? otherwise : code(String(value)),
    help + more,
  ];
  return `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
}
