import { harmless } from "./output/harmless.ts";
import { LineWriter, type LostLine } from "./output/line-writer.ts";
import { writeNow } from "./output/write-now.ts";

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
  /**
   * A line of the service's log. A reader that stands still is not waited for: `lostLine` is what tells of
   * lines that were left out.
   */
  logLine(line: string, lostLine: LostLine): void;
}

export function processIo(nowMs: () => number): Io {
  const { stderr } = process;
  const lines = new LineWriter({ target: stderr, writeNow: (text) => writeNow(stderr.fd, text) });
  process.on("exit", () => lines.end());
  return {
    // A copy, which costs nothing to look at: with every webhook a secret is asked for.
    env: { ...process.env },
    cwd: process.cwd(),
    stderrIsTty: stderr.isTTY === true,
    nowMs,
    // What was logged before comes before. The text may hold what a customer wrote.
    out(line) {
      lines.flush();
      process.stdout.write(`${harmless(line)}\n`);
    },
    err: (text) => lines.say(text),
    logLine: (line, lostLine) => lines.write(line, lostLine),
  };
}
