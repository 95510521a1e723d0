import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../staged-package.ts";
import { sectionIn, sectionOf } from "./page.ts";
import { STORIES } from "./stories.ts";

const page = readFileSync(join(ROOT, "docs/failures.md"), "utf8");

/** If one fails, a surface speaks otherwise than the page: `npm run docs:failures` writes it anew. */
describe("the page tells what each failure looks like", () => {
  for (const story of STORIES)
    it.skipIf(story.isPossible?.() === false)(story.title, async () => {
      expect(sectionIn(page, story)).toBe(sectionOf(story, await story.look()));
    });
});
