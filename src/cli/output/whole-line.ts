import type { LogFields } from "../../model/log.ts";
import { WHOLE_BYTES_MAX } from "./line-writer.ts";

/** What of each text is left at first in a line that is too long. */
const TEXT_LENGTH_MAX = 500;

/** A line that a pipe takes as a whole: where it is too long, its texts are cut before it is made of them. */
export function wholeLine(lineOf: (fields: LogFields) => string, fields: LogFields): string {
  let line = lineOf(fields);
  for (let lengthMax = TEXT_LENGTH_MAX; isTooLong(line) && lengthMax > 0; lengthMax >>= 1)
    line = lineOf(withShortTexts(fields, lengthMax));
  return line;
}

function isTooLong(line: string): boolean {
  // Three bytes a character at most, so that hardly a line has to be measured.
  return line.length * 3 > WHOLE_BYTES_MAX && Buffer.byteLength(line) > WHOLE_BYTES_MAX;
}

function withShortTexts(fields: LogFields, lengthMax: number): LogFields {
  const short = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === "string" && value.length > lengthMax
      ? `${value.slice(0, lengthMax).toWellFormed()}…`
      : value,
  ]);
  return Object.fromEntries(short);
}
