import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../staged-package.ts";

/** Each recipe as it is run by test/recipes: `<!-- recipe ai-sdk.ts -->` is followed by that file. */
export function withRecipes(page: string): string {
  return page.replaceAll(/<!-- recipe ([\w-]+\.ts) -->\n[\s\S]*?<!-- end -->/g, (_, file: string) => {
    const code = readFileSync(join(ROOT, "examples/recipes", file), "utf8");
    // Not `ts`: those blocks are compiled without the packages that recipes need.
    return `<!-- recipe ${file} -->\n\n\`\`\`typescript\n${code}\`\`\`\n\n<!-- end -->`;
  });
}
