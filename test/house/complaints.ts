import { brokenHouseRules } from "./house-rules.ts";
import { forbiddenImports } from "./imports.ts";

/** Every forbidden thing in a source, in words. */
export function complaints(path: string, source: string): string[] {
  return [...forbiddenImports(path, source), ...brokenHouseRules(path, source)];
}
