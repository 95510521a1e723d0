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
 * The command was understood and could not be carried out (no such conversation, port in use): one line, exit
 * code 1.
 */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}
