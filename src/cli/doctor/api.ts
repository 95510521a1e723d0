import { ConfigError } from "../../errors.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import type { Service } from "../../runtime/service.ts";
import { guessable, isGuessable, MAKE_A_SECRET } from "../../wire/own-secret.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

type Tokens = Pick<Service, "apiToken" | "turnToken" | "projectTokens" | "secrets" | "publicUrl">;

/** Who could use the API: with which tokens, or without any. */
export async function checkApi(service: Tokens): Promise<CheckResult[]> {
  try {
    return await examine(service);
  } catch (error) {
    return [fail("API", (error as Error).message)];
  }
}

/** A token as it is now, under its name in the configuration. */
interface Known {
  readonly name: string;
  readonly token: string;
}

const ALL = "LULL_API_TOKEN";
const TURNS = "LULL_TURN_TOKEN";

async function examine(service: Tokens): Promise<CheckResult[]> {
  const { secrets, publicUrl } = service;
  const known = await Promise.all(
    tokensOf(service).map(async ([name, token]) => ({ name, token: await read(secrets, name, token) })),
  );
  const weak = known
    .filter(({ token }) => isGuessable(token))
    .map(({ name }) => fail("API", guessable(name)));
  if (weak.length > 0) return weak;
  const twice = sharedIn(known);
  if (twice !== undefined) return [fail("API", twice)];
  const has = (name: string) => known.some((each) => each.name === name);
  const ofProjects = known.some(({ name }) => name !== ALL && name !== TURNS) ? PROJECTS : "";
  if (has(ALL)) return [ok("API", `with its token${ofProjects}`)];
  if (publicUrl !== undefined)
    return [warn("API", `${has(TURNS) ? TURNS_ONLY : OFF}${ofProjects}; ${MAKE_A_SECRET}`)];
  const others = has(TURNS) ? `; turns also with ${TURNS}` : "";
  return [ok("API", `without a token, for programs on this machine only${others}${ofProjects}`)];
}

function tokensOf({ apiToken, turnToken, projectTokens }: Tokens): [string, SecretReference][] {
  const ofProjects = Object.entries(projectTokens).flatMap(([project, { api, turn }]) => [
    [`projects.${project}.tokens.api`, api] as const,
    [`projects.${project}.tokens.turn`, turn] as const,
  ]);
  const all = [[ALL, apiToken] as const, [TURNS, turnToken] as const, ...ofProjects];
  return all.flatMap(([name, token]) => (token === undefined ? [] : [[name, token]]));
}

async function read(secrets: Secrets, name: string, token: SecretReference): Promise<string> {
  try {
    return await secrets.get(token);
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}`, error);
  }
}

/** The first that is found counts: who has the lesser one would have the greater one as well. */
function sharedIn(known: readonly Known[]): string | undefined {
  for (const [at, { name, token }] of known.entries()) {
    const other = known.slice(at + 1).find((each) => each.token === token);
    if (other) return `${other.name} is the same as ${name}: ${SHARED}`;
  }
  return undefined;
}

const SHARED = "a caller who has one of them may do what is meant for the other";
const PROJECTS = "; projects with their own";
const OFF = `off: the service is public and ${ALL} is not set`;
const TURNS_ONLY =
  `turns only, with ${TURNS}: the rest is off, ` + `because the service is public and ${ALL} is not set`;
