import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import type { Service } from "../../runtime/service.ts";
import { guessable, isGuessable, MAKE_A_SECRET } from "../../wire/own-secret.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

type Tokens = Pick<Service, "apiToken" | "turnToken" | "projectTokens" | "secrets" | "publicUrl">;

/** What is said of one project's token says so: with the others all is as it should be. */
export interface ApiCheck extends CheckResult {
  readonly token?: string;
}

/** Who could use the API: with which tokens, or without any. */
export async function checkApi(service: Tokens): Promise<ApiCheck[]> {
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

async function examine(service: Tokens): Promise<ApiCheck[]> {
  const { secrets, publicUrl } = service;
  const looked = await Promise.all(tokensOf(service).map((named) => look(secrets, named)));
  const known = looked.flatMap((each) => ("token" in each ? [each] : []));
  const twice = sharedIn(known);
  const problems = looked.flatMap((each) => ("why" in each ? [unusable(each)] : []));
  if (twice !== undefined) problems.push(fail("API", twice));
  const has = (name: string) => looked.some((each) => each.name === name);
  if (problems.some(({ token }) => token === undefined)) return problems;
  const ofProjects = looked.some(({ name }) => isOfProject(name)) ? PROJECTS : "";
  if (has(ALL)) return [...problems, ok("API", `with its token${ofProjects}`)];
  if (publicUrl !== undefined)
    return [...problems, warn("API", `${has(TURNS) ? TURNS_ONLY : OFF}${ofProjects}; ${MAKE_A_SECRET}`)];
  const others = has(TURNS) ? `; turns also with ${TURNS}` : "";
  return [...problems, ok("API", `without a token, for programs on this machine only${others}${ofProjects}`)];
}

function isOfProject(name: string): boolean {
  return name !== ALL && name !== TURNS;
}

/** A token that lets in no caller, and why. */
interface Unusable {
  readonly name: string;
  readonly why: string;
}

function unusable({ name, why }: Unusable): ApiCheck {
  return { ...fail("API", why), ...(isOfProject(name) && { token: name }) };
}

function tokensOf({ apiToken, turnToken, projectTokens }: Tokens): [string, SecretReference][] {
  const ofProjects = Object.entries(projectTokens).flatMap(([project, { api, turn }]) => [
    [`projects.${project}.tokens.api`, api] as const,
    [`projects.${project}.tokens.turn`, turn] as const,
  ]);
  const all = [[ALL, apiToken] as const, [TURNS, turnToken] as const, ...ofProjects];
  return all.flatMap(([name, token]) => (token === undefined ? [] : [[name, token]]));
}

async function look(
  secrets: Secrets,
  [name, reference]: [string, SecretReference],
): Promise<Known | Unusable> {
  try {
    const token = await secrets.get(reference);
    return isGuessable(token) ? { name, why: guessable(name) } : { name, token };
  } catch (error) {
    return { name, why: `${name} cannot be read: ${(error as Error).message}` };
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
