/** Said to who called, without the place in the code. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** How often: a whole number from 1 on, since what was measured no time would replace what is published. */
export function timesIn(what: string, given: string | undefined, usual: number): number {
  if (given === undefined) return usual;
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given);
  throw new UsageError(`${what} must be a whole number from 1 to 9999, not ${JSON.stringify(given)}`);
}

export function chosenFrom<T extends string>(all: readonly T[], names: string | undefined): readonly T[] {
  const asked = names?.split(",");
  const unknown = asked?.find((name) => !all.some((each) => each === name));
  if (unknown !== undefined)
    throw new UsageError(`there is no ${JSON.stringify(unknown)}: ${all.join(", ")}`);
  return asked === undefined ? all : all.filter((each) => asked.includes(each));
}

export function isUsageError(error: unknown): error is Error {
  const { code } = Object(error) as { code?: unknown };
  return error instanceof UsageError || String(code).startsWith("ERR_PARSE_ARGS_");
}
