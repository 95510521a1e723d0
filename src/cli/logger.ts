import type { Log, LogFields, LogLevel } from "../model/log.ts";
import { safeFields } from "../runtime/log-privacy.ts";
import { harmless } from "./output/harmless.ts";
import type { LostLine } from "./output/line-writer.ts";
import { wholeLine } from "./output/whole-line.ts";

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
const COLOUR: Record<LogLevel, number> = { debug: 90, info: 36, warn: 33, error: 31 };

export interface LoggerOptions {
  readonly level: LogLevel;
  /** For a person at a terminal; otherwise one JSON object a line. */
  readonly pretty: boolean;
  readonly nowMs: () => number;
  readonly write: (line: string, lostLine: LostLine) => void;
  /** Fields of every line, such as the worker's name. */
  readonly fields?: LogFields;
}

export function createLog(options: LoggerOptions): Log {
  const format = options.pretty ? prettyLine : jsonLine;
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

function prettyLine(time: string, level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).filter(([, value]) => value !== undefined);
  const tail = rest.map(([key, value]) => ` ${dim(`${key}=`)}${harmless(String(value))}`).join("");
  return `${dim(time.slice(11, 23))} \u001b[${COLOUR[level]}m${level.padEnd(5)}\u001b[0m ${event}${tail}`;
}

function dim(text: string): string {
  return `\u001b[2m${text}\u001b[0m`;
}
