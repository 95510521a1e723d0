import { readdir } from "node:fs/promises";
import { UsageError } from "../usage-error.ts";
import { type Manifest, manifestIn } from "./manifest.ts";

/** Where the project is to be: what is there already. */
export interface Place {
  readonly folder: string;
  readonly names: readonly string[];
  readonly found: Manifest | undefined;
}

const OTHER_CONFIGS = /^lull\.config\.(?:js|mjs|json)$/;

/** What no answer would change is refused here, before the first question. */
export async function placeAt(folder: string): Promise<Place> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const found = await manifestIn(folder);
  if (found?.name === "lull")
    throw new UsageError("this is Lull's own folder; name one: lull init ../my-bot");
  const other = names.find((name) => OTHER_CONFIGS.test(name));
  if (other !== undefined)
    throw new UsageError(
      `${other} is there, and a project has one configuration: remove it, or name another folder: ` +
        "lull init ../my-bot",
    );
  if (found?.type === "commonjs")
    throw new UsageError(
      'package.json says "type": "commonjs", and Lull is an ES module. Run: npm pkg set type=module',
    );
  return { folder, names, found };
}
