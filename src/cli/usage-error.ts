/** What was called, as far as it is known. */
export interface CalledCommand {
  readonly name: string;
  readonly usage: string | undefined;
}

/** The command line itself was wrong: told in one line, with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly called: CalledCommand | undefined;

  constructor(message: string, called?: CalledCommand) {
    super(message);
    this.called = called;
  }
}

/**
 * What cannot be undone was asked for without `--yes`: the question, in words that show what would be lost.
 * Exit code 2 as well, and no help: the line was right.
 */
export class Unconfirmed extends Error {
  override readonly name = "Unconfirmed";

  constructor(what: string, toGoOn: string) {
    super(`this cannot be undone: ${what}\nTo go on: ${toGoOn}`);
  }
}

/**
 * The command was understood and could not be carried out (no such conversation, port in use): one line, exit
 * code 1.
 */
export class CommandFailed extends Error {
  override readonly name: string = "CommandFailed";
}

/** The person ended it (Ctrl-C, Ctrl-D) instead of answering: exit code 130. */
export class Stopped extends CommandFailed {
  override readonly name = "Stopped";
}
