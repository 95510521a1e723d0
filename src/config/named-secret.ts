import { ConfigError } from "../errors.ts";
import type { SecretReference } from "../ports/secrets.ts";
import { didYouMean } from "../schema/suggest.ts";
import type { Knob } from "./knob.ts";
import { KNOBS } from "./knobs.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export const SUFFIX = "_SECRET";

/**
 * `TWILIO_AUTH_TOKEN_SECRET=prod/twilio#authToken`: the name under which a store of secrets keeps what would
 * stand in `TWILIO_AUTH_TOKEN`.
 */
export function namedSecret(
  { kind, env: variable }: Knob,
  env: Environment,
): { readonly value: SecretReference; readonly origin: string } | undefined {
  if (kind.type !== "secret" || variable === undefined) return undefined;
  const origin = `${variable}${SUFFIX}`;
  const name = textIn(env, origin);
  if (name === undefined) return undefined;
  if (textIn(env, variable) !== undefined)
    throw new ConfigError(`${variable} and ${origin} are both set; keep one`);
  if (!/^[^#]+(#[^#]+)?$/.test(name))
    throw new ConfigError(
      `${origin} must be the name or ARN of a secret, with #key where it is a JSON object`,
    );
  return { value: { name }, origin };
}

/** Names of ours that would silently change nothing. Other programs' variables may end like that as well. */
export function checkNamed(env: Environment): void {
  const variables = KNOBS.flatMap(({ env: variable }) => variable ?? []);
  const secret = KNOBS.filter(({ kind }) => kind.type === "secret").flatMap(({ env: variable }) =>
    variable === undefined ? [] : `${variable}${SUFFIX}`,
  );
  for (const name of Object.keys(env)) {
    if (!name.endsWith(SUFFIX) || textIn(env, name) === undefined) continue;
    if (secret.includes(name) || variables.includes(name)) continue;
    const plain = name.slice(0, -SUFFIX.length);
    if (variables.includes(plain))
      throw new ConfigError(`${name}: ${plain} is no secret; set ${plain} itself`);
    if (name.startsWith("LULL_"))
      throw new ConfigError(`${name} is not a known setting${didYouMean(name, secret)}`);
  }
}

export function textIn(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}
