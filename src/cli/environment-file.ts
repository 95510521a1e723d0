import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/**
 * What stands in `.env` of the folder, as other tools take it: a variable that is set already counts over it.
 * One that this user may not read is the environment of a service, which was given it: `lull doctor` says so.
 */
export function takeEnvironmentFile(cwd: string, env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(parseEnv(textOf(join(cwd, ".env"))))) env[name] ??= value;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
