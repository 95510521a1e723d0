import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { type Block, blocksOf, fileNameOf } from "../doc-pages.ts";
import { emptyProject } from "./empty-project.ts";

const folder = emptyProject();

type Shown = Block & { readonly page: string };

function written({ page, line, code }: Shown): string {
  const path = join(folder, `${page.replaceAll(/\W/g, "-")}-${line}.ts`);
  // A thousand schedules are for who looks for something; a few show that the program is right.
  writeFileSync(path, code.replace("schedules: 1_000", "schedules: 20"));
  return path;
}

// Those with a name are run together with what they import: see the pages' own tests.
const shown = blocksOf("ts").filter((block) => fileNameOf(block) === undefined);
const tests = shown.filter(({ code }) => code.includes('from "vitest"'));
/** They come to an end by themselves, and need neither a provider nor a port that may be taken. */
const programs = shown.filter(({ code }) => /\bexplore\(|port: 0\b/.test(code));

describe("tests that the docs show pass:", async () => {
  for (const block of tests) await import(written(block));
});

describe("programs that the docs show run to their end:", () => {
  test.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))(
    "%s",
    async (_, block) => {
      await import(written(block));
    },
  );
});
