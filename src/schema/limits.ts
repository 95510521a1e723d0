import {
  inOwnUnits,
  LIMIT_ROWS,
  type Limit,
  type LimitSettings,
  publicName,
  SECONDS_MAX,
  UNITS,
} from "../model/limits.ts";
import type { LimitsConfig } from "./limits-config.ts";
import { problemsIn, TO_PEOPLE } from "./problems.ts";
import { number, options, type Schema, whole } from "./schema.ts";

/** A public time, also that of a window, wherever it is said. */
export const SECONDS = number({ minimum: 0, maximum: SECONDS_MAX });

/** What help and docs add where a row has a highest value of its own. */
export function mostInWords({ max }: Pick<Limit, "max">): string {
  return max === undefined || max === SECONDS_MAX ? "" : `; ${max} at most`;
}

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
