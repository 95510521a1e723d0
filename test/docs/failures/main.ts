import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../staged-package.ts";
import { withFailures } from "./page.ts";
import type { Said } from "./said.ts";
import { STORIES, type Story } from "./stories.ts";

/** `npm run docs:failures`: makes every failure, and writes down what is said of it. */
const PAGE = join(ROOT, "docs/failures.md");
const told = new Map<Story, Said>();
for (const story of STORIES) {
  if (story.isPossible?.() === false) console.log(`${story.title}: stays as it is, for want of rights`);
  else told.set(story, await story.look());
}
writeFileSync(PAGE, withFailures(readFileSync(PAGE, "utf8"), told, STORIES));
