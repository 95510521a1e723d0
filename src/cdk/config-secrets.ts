import { Token } from "aws-cdk-lib/core";
import { keyNamePlaces, type Place, secretPlaces } from "../config/resolve-settings.ts";
import { isObject } from "../schema/is-object.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";
import { secretOf } from "./secret-source.ts";

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

/** What the configuration takes from variables that no function is given here: its turns could not work. */
export function missingVariables({ config, environment = {}, secrets = {} }: LullProps): string[] {
  return secretPlaces(config).flatMap(({ keys, value }) => {
    const { env } = isObject(value) ? value : {};
    const isThere =
      typeof env !== "string" || env in secrets || env in environment || `${env}_SECRET` in environment;
    return isThere ? [] : `config.${keys.join(".")}: no function is given ${env}`;
  });
}

/** Names of secrets in the configuration that no function may read, as far as that is known at synth. */
export function unreadable({ config, secrets = {} }: LullProps): string[] {
  const readable = Object.values(secrets).map((source) => secretOf(source).secret.secretName);
  if (readable.some((name) => Token.isUnresolved(name))) return [];
  const named = [...secretPlaces(config), ...keyNamePlaces(config)].flatMap(({ keys, value }) => {
    const name = isObject(value) ? value.name : isNameOfKey(keys) && value;
    return typeof name === "string" ? { where: ["config", ...keys].join("."), name } : [];
  });
  return named
    .filter(({ name }) => !Token.isUnresolved(name) && !name.startsWith("arn:"))
    .filter(({ name }) => !readable.includes(name.split("#")[0]!))
    .map(({ where, name }) => `${where}: ${name}`);
}

const isNameOfKey = (keys: readonly string[]) => keys.at(-1) === "apiKeys";

/** Whether it has a token for the API, of the service or of a project. */
export function hasToken(config: Config): boolean {
  return secretPlaces(config).some(isToken);
}

/**
 * Who reads what `{ env: variable }` names there, or `{ name }` and `apiKeys` by the secret's own name;
 * undefined where nothing does.
 */
export function readersIn(
  config: Config,
  variable: string,
  { secret }: Pick<ReturnType<typeof secretOf>, "secret">,
): readonly FunctionName[] | undefined {
  const isNamed = (name: unknown) => typeof name === "string" && name.split("#")[0] === secret.secretName;
  const places = [
    ...secretPlaces(config).filter(
      ({ value }) => isObject(value) && (value.env === variable || isNamed(value.name)),
    ),
    ...keyNamePlaces(config).filter(({ value }) => isNamed(value)),
  ];
  const readers = new Set(places.flatMap(readersAt));
  return places.length === 0 ? undefined : FUNCTIONS.filter((name) => readers.has(name));
}

const FUNCTIONS = ["webhook", "worker", "api"] as const;

/** What only one of them does: to prove who calls, or to call a provider. */
const BY_ONE: Readonly<Record<string, readonly FunctionName[]>> = {
  secret: ["webhook"],
  webhookSecret: ["webhook"],
  token: ["worker"],
  apiKey: ["worker"],
};

/** A responder is asked by the worker; a channel's secret may both prove who calls and send. */
function readersAt(place: Place): readonly FunctionName[] {
  if (isToken(place)) return ["api"];
  const [part = "", , option = ""] = place.keys.slice(place.keys[0] === "projects" ? 2 : 0);
  if (part !== "channels") return ["worker"];
  return BY_ONE[option] ?? ["webhook", "worker"];
}

/** `apiToken`, `turnToken`, or `projects.acme.tokens.api`: the only secrets that stand at these depths. */
function isToken({ keys }: Place): boolean {
  return keys.length === 1 || (keys.length === 4 && keys[2] === "tokens");
}
