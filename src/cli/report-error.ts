import { withoutUsers } from "../schema/plain-url.ts";
import type { Io } from "./io.ts";
import { inked } from "./output/colour.ts";
import { harmless } from "./output/harmless.ts";
import { textWithin } from "./output/wrapped.ts";
import { type CalledCommand, Stopped, Unconfirmed, UsageError } from "./usage-error.ts";

/** What is wrong was said on the command line, in the environment or in a file, and is put right there. */
const SAID_WRONG = ["INVALID_CONFIG", "INVALID_REQUEST"];

const MARK = "lull:";

/** One line that says what to do about it; the stack only for those who ask. Returns the exit code. */
export function reportError(error: unknown, verbose: boolean, io: Io): number {
  const said = shown(error instanceof Error ? error.message : String(error));
  io.err(`${marked(io, textWithin(`${MARK} ${said}`, io.errColumns))}\n`);
  if (verbose && error instanceof Error && error.stack) io.err(`${shown(error.stack)}\n`);
  if (error instanceof Unconfirmed) return 2;
  if (error instanceof Stopped) return 130;
  if (error instanceof UsageError) {
    io.err(`${helpFor(error.called)}\n`);
    return 2;
  }
  return exitCodeOf(error);
}

function marked({ errInColour }: Io, text: string): string {
  return errInColour ? inked("bad", MARK) + text.slice(MARK.length) : text;
}

/** Of the command that failed, and not of all. */
function helpFor(called: CalledCommand | undefined): string {
  if (called === undefined) return "Run `lull --help` for help.";
  const { name, usage = "[options]" } = called;
  return `Usage: lull ${name} ${usage}\nRun \`lull ${name} --help\` for help.`;
}

/** Whether stacks are wanted. */
export function isVerbose(argv: readonly string[], { env }: Pick<Io, "env">): boolean {
  return argv.includes("--verbose") || env.LULL_LOG_LEVEL === "debug";
}

/** `fetch` and the like quote the URL that they were given. */
function shown(words: string): string {
  return harmless(withoutUsers(words));
}

/** By its code, not its class: a configuration file may throw the error of another copy of lull. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof Error && "code" in error && SAID_WRONG.includes(String(error.code)) ? 2 : 1;
}
