import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./bundle-page.ts";
import { builtFile, builtSource, PAGES } from "./pages.ts";

describe.each(PAGES)("the page %s", (folder) => {
  test("is built from its sources as they are: else run `npm run build:web`", async () => {
    const built = await readFile(builtFile(folder), "utf8");
    expect(built === (await builtSource(folder))).toBe(true);
  });

  test("has every element that its sources ask for by id", async () => {
    const page = join(ROOT, "web", folder);
    const html = await readFile(join(page, "index.html"), "utf8");
    const names = (await readdir(page)).filter((name) => /\.(ts|css)$/.test(name) && !/\.test\./.test(name));
    const sources = await Promise.all(names.map((name) => readFile(join(page, name), "utf8")));
    const asked = sources.flatMap((source) => [
      ...source.matchAll(/\bbyId(?:<\w+>)?\("([^"]+)"\)/g),
      ...source.matchAll(/#([a-z]+-[a-z-]+)\b(?=[^;]*\{)/g),
    ]);
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.map(([, id]) => id).filter((id) => !html.includes(` id="${id}"`))).toEqual([]);
  });
});

test("every page that is built is one of the list", async () => {
  const built = await readdir(join(ROOT, "src/http/page/built"));
  expect(built.toSorted()).toEqual(PAGES.map((folder) => `${folder}.ts`).toSorted());
});
