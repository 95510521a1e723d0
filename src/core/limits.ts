import {
  inOwnUnits,
  LIMIT_ROWS,
  type Limit,
  type LimitSettings,
  type LimitsConfig,
  publicName,
  UNITS,
} from "../model/limits.ts";
import { problemsIn, TO_PEOPLE } from "./problems.ts";
import { number, options, type Schema, whole } from "./schema.ts";

export function schemaOf({ unit, min, max }: Limit): Schema<number> {
  const range = { minimum: min, ...(max !== undefined && { maximum: max }) };
  return UNITS[unit] === 1 ? whole(range) : number(range);
}

const SCHEMA = options(
  Object.fromEntries(LIMIT_ROWS.map(([name, limit]) => [publicName(name), schemaOf(limit)])),
);

/** Public limits in the code's units; those left out stay out. Or a sentence that says what is wrong. */
export function limitsFrom(given: LimitsConfig): Partial<LimitSettings> | string {
  const [problem] = problemsIn(given, SCHEMA, "limits", TO_PEOPLE);
  if (problem !== undefined) return problem;
  const said = LIMIT_ROWS.flatMap(([name, limit]) => {
    const value = given[publicName(name)];
    return value === undefined ? [] : [[name, inOwnUnits(limit, value)]];
  });
  return Object.fromEntries(said);
}
