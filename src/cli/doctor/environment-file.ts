import { join } from "node:path";
import { textOf } from "../environment-file.ts";
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
    const named = [...found.text.matchAll(/^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)=/gm)].map(
      ([, name = ""]) => name,
    );
    const missing = [...new Set(named)].filter((name) => env[name] === undefined);
    return missing.length === 0
      ? []
      : [warn("environment", inWords(path, `does not have ${missing.join(", ")} of it`))];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    return [warn("environment", inWords(path, "may not read it"))];
  }
}

function inWords(path: string, what: string): string {
  return (
    `${path} is the environment of a service, and this command ${what}: ` +
    "what is said here is about another configuration. Run it with that environment (docs/operating.md)"
  );
}
