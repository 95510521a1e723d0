import { harmless } from "./output/harmless.ts";
import { lineWriter } from "./output/line-writer.ts";

/** What a command sees of the process around it. Tests hand in their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Progress redraws its line on a terminal and prints plain lines elsewhere. */
  readonly stderrIsTty: boolean;
  readonly nowMs: () => number;
  /** Results, and nothing else: what `--json` prints can be piped as it is. */
  out(line: string): void;
  /** Everything that is meant for a person only. */
  err(text: string): void;
  /** A line of the service's log. False if it was left out: a reader that stands still is not waited for. */
  logLine(line: string): boolean;
}

export function processIo(nowMs: () => number): Io {
  const lines = lineWriter(process.stderr);
  process.on("exit", lines.flush);
  return {
    // A copy, which costs nothing to look at: with every webhook a secret is asked for.
    env: { ...process.env },
    cwd: process.cwd(),
    stderrIsTty: process.stderr.isTTY === true,
    nowMs,
    // What was logged before comes before. The text may hold what a customer wrote.
    out(line) {
      lines.flush();
      process.stdout.write(`${harmless(line)}\n`);
    },
    err(text) {
      lines.flush();
      process.stderr.write(text);
    },
    logLine: lines.write,
  };
}
