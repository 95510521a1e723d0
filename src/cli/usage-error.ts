/** The command line itself was wrong: told in one line, with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * The command was understood and could not be carried out (no such conversation, port in use): one line, exit
 * code 1.
 */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}
