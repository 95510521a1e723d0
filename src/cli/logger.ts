import type { Log, LogFields, LogFormat, LogLevel } from "../model/log.ts";
import { safeFields } from "../runtime/log-privacy.ts";
import type { Io } from "./io.ts";
import { type Ink, inked } from "./output/colour.ts";
import { harmless } from "./output/harmless.ts";
import type { LostLine } from "./output/line-writer.ts";
import { wholeLine } from "./output/whole-line.ts";

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
const INKS: Readonly<Record<LogLevel, Ink>> = { debug: "faint", info: "info", warn: "warning", error: "bad" };

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Of what is for a person. */
  readonly inColour: boolean;
  readonly nowMs: () => number;
  readonly write: (line: string, lostLine: LostLine) => void;
  /** Fields of every line, such as the worker's name. */
  readonly fields?: LogFields;
}

/** Unless it was said: a terminal is read by a person, and anything else by a program. */
export function logShape(
  { stderrIsTty, errInColour = false }: Pick<Io, "stderrIsTty" | "errInColour">,
  said?: LogFormat,
): Pick<LoggerOptions, "format" | "inColour"> {
  return { format: said ?? (stderrIsTty ? "pretty" : "json"), inColour: errInColour };
}

export function createLog(options: LoggerOptions): Log {
  const format = options.format === "json" ? jsonLine : prettyLine(options.inColour ? inked : plain);
  const timeOf = timeInWords();
  const lineOf = (level: LogLevel, event: string, fields: LogFields) => {
    const safe = safeFields(fields);
    const told = options.fields ? { ...options.fields, ...safe } : safe;
    const time = timeOf(options.nowMs());
    return wholeLine((shown) => `${format(time, level, event, shown)}\n`, told);
  };
  const lostLine: LostLine = (lines) => lineOf("warn", "log.lines-lost", { lines });
  return (level, event, fields = {}) => {
    if (RANK[level] < RANK[options.level]) return;
    options.write(lineOf(level, event, fields), lostLine);
  };
}

/** Many lines are of the same millisecond, and its words are a third of what a line costs. */
function timeInWords(): (atMs: number) => string {
  let last = { atMs: Number.NaN, words: "" };
  return (atMs) => {
    if (last.atMs !== atMs) last = { atMs, words: new Date(atMs).toISOString() };
    return last.words;
  };
}

function jsonLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  return harmless(JSON.stringify({ time, level, event, ...fields }));
}

function prettyLine(shown: typeof inked): typeof jsonLine {
  return (time, level, event, fields) => {
    const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
    const tail = rest
      .map(([key, value]) => ` ${shown("faint", `${key}=`)}${harmless(String(value))}`)
      .join("");
    return `${shown("faint", time.slice(11, 23))} ${shown(INKS[level], level.padEnd(5))} ${event}${tail}`;
  };
}

function plain(_: Ink, text: string): string {
  return text;
}
