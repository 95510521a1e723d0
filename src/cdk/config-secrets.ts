import { type Place, secretPlaces } from "../config/resolve-settings.ts";
import { isObject } from "../schema/is-object.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";

type Config = LullProps["config"];

/** A header may say anything; those of such names say who calls. */
const PROVING = /authorization|cookie|key|password|secret|signature|token/i;

/** Where a secret itself stands in the configuration, instead of its name. */
export function writtenOut(config: Config): string[] {
  return secretPlaces(config)
    .filter(({ keys, value }) => {
      const [name = "", parent] = keys.toReversed();
      return typeof value === "string" && (parent !== "headers" || PROVING.test(name));
    })
    .map(({ keys }) => ["config", ...keys].join("."));
}

/** Whether it has a token for the API, of the service or of a project. */
export function hasToken(config: Config): boolean {
  return secretPlaces(config).some(isToken);
}

/** Who reads what `{ env: variable }` names there; undefined where nothing does. */
export function readersIn(
  config: Config,
  variable: string,
  others: readonly FunctionName[],
): readonly FunctionName[] | undefined {
  const places = secretPlaces(config).filter(({ value }) => isObject(value) && value.env === variable);
  if (places.length === 0) return undefined;
  return [...(places.every(isToken) ? [] : others), ...(places.some(isToken) ? ["api" as const] : [])];
}

/** `apiToken`, `turnToken`, or `projects.acme.tokens.api`: the only secrets that stand at these depths. */
function isToken({ keys }: Place): boolean {
  return keys.length === 1 || (keys.length === 4 && keys[2] === "tokens");
}
