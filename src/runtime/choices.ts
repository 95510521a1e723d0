import { ConfigError } from "../errors.ts";
import { CHOICES, type Choices } from "../model/settings.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import { oneOf } from "../schema/schema.ts";

/** Those of these choices that are made. `where` comes before their names in the error. */
export function choicesIn<Name extends keyof Choices>(
  given: Partial<Choices>,
  names: readonly Name[],
  where = "",
): Partial<Pick<Choices, Name>> {
  const said = names.filter((name) => given[name] !== undefined);
  for (const name of said) {
    const [problem] = problemsIn(given[name], oneOf(...CHOICES[name]), `${where}${name}`, TO_PEOPLE);
    if (problem !== undefined) throw new ConfigError(problem);
  }
  return Object.fromEntries(said.map((name) => [name, given[name]])) as Partial<Pick<Choices, Name>>;
}
