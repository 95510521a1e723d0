import cluster from "node:cluster";
import { fstatSync } from "node:fs";
import { type Paint, wantsColour } from "./output/colour.ts";
import { fileTarget } from "./output/file-target.ts";
import { harmless } from "./output/harmless.ts";
import { LineWriter, type LostLine } from "./output/line-writer.ts";
import { writeNow } from "./output/write-now.ts";
import { Stopped } from "./usage-error.ts";

/** What a command sees of the process around it. Tests hand in their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Progress redraws its line on a terminal and prints plain lines elsewhere. */
  readonly stderrIsTty: boolean;
  /** How wide the terminal is that results go to; absent where they go elsewhere. */
  readonly columns?: number | undefined;
  /** The same of the terminal that everything else goes to. */
  readonly errColumns?: number | undefined;
  /** Whether what is for a person may have colour; results have their `Paint`. */
  readonly errInColour?: boolean;
  readonly nowMs: () => number;
  /** Asks the person at the terminal; absent where there is none. Rejects when they end it instead. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /**
   * Results, and nothing else: what `--json` prints can be piped as it is. `paint` is asked only where colour
   * is wanted, and last: what a customer wrote can ask for none.
   */
  out(line: string, paint?: Paint): void;
  /** Everything that is meant for a person only. */
  err(text: string): void;
  /**
   * A line of the service's log. A reader that stands still is not waited for: `lostLine` is what tells of
   * lines that were left out.
   */
  logLine(line: string, lostLine: LostLine): void;
}

export function processIo(nowMs: () => number): Io {
  const { stderr, stdout } = process;
  const target = isFile(stderr.fd) ? fileTarget(stderr.fd) : stderr;
  const lines = new LineWriter({ target, writeNow: (text) => writeNow(stderr.fd, text) });
  process.on("exit", () => lines.end());
  const isTold = wantsColour(process.env, stdout.isTTY === true);
  return {
    // A copy, which costs nothing to look at: with every webhook a secret is asked for.
    env: { ...process.env },
    cwd: process.cwd(),
    stderrIsTty: stderr.isTTY === true,
    columns: stdout.isTTY ? stdout.columns : undefined,
    errColumns: stderr.isTTY ? stderr.columns : undefined,
    errInColour: wantsColour(process.env, stderr.isTTY === true),
    nowMs,
    ask:
      process.stdin.isTTY && stderr.isTTY ? (question) => askOn(process.stdin, stderr, question) : undefined,
    // What was logged before comes before. The text may hold what a customer wrote.
    out(line, paint) {
      lines.flush();
      const shown = harmless(line);
      stdout.write(`${isTold && paint ? paint(shown) : shown}\n`);
    },
    err: (text) => lines.say(text),
    logLine: (line, lostLine) => lines.write(line, lostLine),
  };
}

/** One question on a terminal. */
export async function askOn(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: string,
): Promise<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input, output });
  try {
    return await new Promise((resolve, reject) => {
      // Ctrl-C and Ctrl-D close it without an answer.
      lines.once("close", () => reject(new Stopped("stopped; nothing was written")));
      lines.question(question, resolve);
    });
  } finally {
    lines.close();
  }
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // It was closed before we were started.
    return false;
  }
}

/** What Node knows of a stream that is a terminal, and does not tell. */
interface Terminal {
  readonly isTTY?: boolean;
  readonly _handle?: { setBlocking?(isBlocking: boolean): void };
}

/**
 * Node waits until a terminal has taken what is written. One that stands still (Ctrl-S, a session that has
 * gone quiet) would hold up the whole service, its end included. What it does not take waits in the stream
 * instead, as with a pipe. A child that is given our terminal makes it wait again, hence once more after
 * each.
 */
export function unblockTerminal(): void {
  unblock();
  if (cluster.isPrimary) cluster.on("fork", unblock);
}

function unblock(): void {
  const streams: Terminal[] = [process.stdout, process.stderr];
  for (const { isTTY, _handle } of streams) if (isTTY) _handle?.setBlocking?.(false);
}
