import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { pageNamed } from "../doc-pages.ts";
import { exportsOf, openSources, type Sources } from "./compiler.ts";
import { loggedIn } from "./log-events.ts";
import { rowsIn } from "./log-page.ts";
import { placesIn } from "./reference.ts";
import { WRITTEN } from "./written.ts";

let sources: Sources;
beforeAll(() => {
  sources = openSources();
});
afterAll(() => sources[Symbol.dispose]());

test.each(Object.entries(WRITTEN))(
  "%s says what the sources say; `npm run docs` writes it",
  (name, write) => {
    const { text } = pageNamed(name);
    expect(text).toBe(write(text, sources));
  },
);

describe("log events", () => {
  test("that the sources log, and those of docs/operating.md, are the same at the same levels", () => {
    const { events } = loggedIn(sources);
    const told = rowsIn(pageNamed("docs/operating.md").text).flatMap(({ events: names, level }) =>
      names.map((name) => `${name} ${level}`),
    );
    expect(told.toSorted()).toEqual(events.map(({ event, level }) => `${event} ${level}`).toSorted());
  });

  test("are named where they are logged, except where a log hands on what it is given", () => {
    expect(loggedIn(sources).forwarding).toEqual([
      "src/cli/watching/guard-thread.ts",
      "src/core/privacy.ts",
      "src/engines/sqlite/index.ts",
      "src/lambda/metrics.ts",
      "src/runtime/sampled-log.ts",
    ]);
  });
});

describe("references of types", () => {
  const PAGES = { "src/index.ts": "docs/library.md", "src/testing/index.ts": "docs/testing.md" };

  test.each(Object.entries(PAGES))("%s: every export has its place in %s", (file, page) => {
    const told = placesIn(pageNamed(page).text).filter((place) => place.file === file);
    expect(told.map(({ name }) => name).toSorted()).toEqual([...exportsOf(sources, file).keys()].toSorted());
  });

  test.each(Object.values(PAGES))("%s says of every member what it is for", (page) => {
    const { text } = pageNamed(page);
    expect(text.split("\n").filter((line) => /^\| `[^`]+` \| `.*` \| \|$/.test(line))).toEqual([]);
  });

  test("docs/library.md names every subpath of the package", () => {
    const { text } = pageNamed("docs/library.md");
    const subpaths = Object.keys(manifest.exports).filter((path) => path !== "./package.json");
    expect(subpaths.filter((path) => !text.includes(`\`lull${path.slice(1)}\``))).toEqual([]);
  });
});
