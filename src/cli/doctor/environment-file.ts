import { basename, join } from "node:path";
import { assignmentsOf, isSet, lateNotes, textOf, tooLateForNode } from "../environment-file.ts";
import { type CheckResult, warn } from "./check-result.ts";

/**
 * The name that the docs use for systemd's unit and `docker run --env-file`, and the one that every command
 * reads by itself, where it may.
 */
const NAMES = ["lull.env", ".env"];

/** An environment file is read by the service alone: a command without it looks at another configuration. */
export function checkEnvironmentFile(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): CheckResult[] {
  return NAMES.flatMap((name) => check(join(cwd, name), env));
}

function check(path: string, env: Readonly<Record<string, string | undefined>>): CheckResult[] {
  try {
    const found = textOf(path);
    if ("passedOver" in found) return [warn("environment", `${path} ${found.passedOver}`)];
    const { values, notes } = assignmentsOf(found.text);
    // Who starts a service with the other file has them in time.
    const late = basename(path) === ".env" ? tooLateForNode(values, env) : [];
    const wanted = new Map([...values].filter(([name]) => !late.includes(name)));
    return [
      ...[...notes, ...lateNotes(late)].map((note) => warn("environment", `${path} ${note}`)),
      ...missingOf(path, wanted, env),
    ];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    return [warn("environment", inWords(path, "may not read it"))];
  }
}

function missingOf(
  path: string,
  values: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): CheckResult[] {
  const missing = [...values].flatMap(([name, value]) => (isSet(value) && !isSet(env[name]) ? [name] : []));
  if (missing.length === 0) return [];
  return [warn("environment", inWords(path, `does not have ${missing.join(", ")} of it`))];
}

function inWords(path: string, what: string): string {
  return (
    `${path} is the environment of a service, and this command ${what}: ` +
    "what is said here is about another configuration. Run it with that environment (docs/operating.md)"
  );
}
