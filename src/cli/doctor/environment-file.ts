import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CheckResult, warn } from "./check-result.ts";

/**
 * The name that the docs use for systemd's unit and `docker run --env-file`, and the one that every command
 * reads by itself, where it may.
 */
const NAMES = ["lull.env", ".env"];

/** An environment file is read by the service alone: a command without it looks at another configuration. */
export async function checkEnvironmentFile(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckResult[]> {
  const found = await Promise.all(NAMES.map((name) => check(join(cwd, name), env)));
  return found.flat();
}

async function check(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckResult[]> {
  try {
    const text = await readFile(path, "utf8");
    const named = [...text.matchAll(/^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = ""]) => name);
    const missing = [...new Set(named)].filter((name) => env[name] === undefined);
    return missing.length === 0
      ? []
      : [warn("environment", inWords(path, `does not have ${missing.join(", ")} of it`))];
  } catch (error) {
    if (["ENOENT", "EISDIR"].includes(String((error as NodeJS.ErrnoException).code))) return [];
    return [warn("environment", inWords(path, "may not read it"))];
  }
}

function inWords(path: string, what: string): string {
  return (
    `${path} is the environment of a service, and this command ${what}: ` +
    "what is said here is about another configuration. Run it with that environment (docs/operating.md)"
  );
}
