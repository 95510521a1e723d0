import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { EVENT_METRICS } from "../../src/core/event-metrics.ts";
import { PAGES, pageNamed, prose } from "../doc-pages.ts";
import { vaguePhrases } from "../house/comments.ts";
import { ROOT } from "../staged-package.ts";
import { exportsOf, kindsOf, openSources, type Sources } from "./compiler.ts";
import { loggedIn } from "./log-events.ts";
import { rowsIn } from "./log-page.ts";
import { DRAWINGS } from "./pictures/drawings.ts";
import { PHOTOGRAPH_BYTES_MAX, PHOTOGRAPHS } from "./pictures/photographs.ts";
import { placesIn } from "./reference.ts";
import { WRITTEN, WRITTEN_SOURCES } from "./written.ts";

let sources: Sources;
beforeAll(() => {
  sources = openSources();
});
afterAll(() => sources[Symbol.dispose]());

test.each(Object.entries(WRITTEN))(
  "%s says what the sources say; `npm run docs` writes it",
  (name, write) => {
    const text = readFileSync(join(ROOT, name), "utf8");
    expect(text).toBe(write(text, sources));
  },
);

test.each(Object.entries(WRITTEN_SOURCES))("%s is as `npm run docs` writes it", (file, write) => {
  expect(readFileSync(join(ROOT, file), "utf8")).toBe(write());
});

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
      "src/cli/data.ts",
      "src/cli/logger.ts",
      "src/cli/workers/totals.ts",
      "src/engines/sqlite/index.ts",
      "src/lambda/metrics.ts",
      "src/runtime/counters.ts",
      "src/runtime/log-privacy.ts",
      "src/runtime/sampled-log.ts",
    ]);
  });
});

describe("metrics", () => {
  test("are counted from events that the sources log, by fields that these have", () => {
    const { events } = loggedIn(sources);
    const fieldsOf = (name: string) =>
      events.filter(({ event }) => event === name).flatMap(({ fields }) => fields.map(withoutMark));
    const wrong = [...EVENT_METRICS].flatMap(([event, metrics]) => {
      const known = new Set(fieldsOf(event));
      const read = metrics.flatMap(({ labels = [], amount, observes, with: needed, before }) =>
        [...labels, amount, observes, needed, before].filter((field) => field !== undefined),
      );
      const isLogged = events.some((each) => each.event === event);
      return isLogged
        ? read.filter((field) => !known.has(field)).map((field) => `${event}: ${field}`)
        : event;
    });
    expect(wrong).toEqual([]);
  });

  test("have no label that names a conversation, a turn or a person", () => {
    const labels = [...EVENT_METRICS.values()].flat().flatMap((each) => each.labels ?? []);
    expect([...new Set(labels)].toSorted()).toEqual(["channel", "code", "how", "outcome"]);
  });
});

const withoutMark = (field: string) => field.replace("?", "");

describe("references of types", () => {
  const REFERENCES = { "src/index.ts": "docs/library.md", "src/testing/index.ts": "docs/testing.md" };

  test.each(Object.entries(REFERENCES))("%s: every export has its place in %s", (file, page) => {
    const told = placesIn(pageNamed(page).text).filter((place) => place.file === file);
    expect(told.map(({ name }) => name).toSorted()).toEqual([...exportsOf(sources, file).keys()].toSorted());
  });

  test.each(Object.values(REFERENCES))("%s says of every member what it is for", (page) => {
    const { text } = pageNamed(page);
    expect(text.split("\n").filter((line) => /^\| `[^`]+` \| `.*` \| \|$/.test(line))).toEqual([]);
  });

  test("docs/library.md names every subpath of the package", () => {
    const { text } = pageNamed("docs/library.md");
    const subpaths = Object.keys(manifest.exports).filter((path) => path !== "./package.json");
    expect(subpaths.filter((path) => !text.includes(`\`lull${path.slice(1)}\``))).toEqual([]);
  });
});

test("pages say who does something, as comments do", () => {
  const found = PAGES.flatMap((page) => vaguePhrases(prose(page)).map((words) => `${page.name}: ${words}`));
  expect(found).toEqual([]);
});

test("no page says a thing twice, as a merge of two ways of saying it would", () => {
  const twice = PAGES.flatMap((page) => {
    const long = prose(page)
      .split("\n")
      .filter((line) => line.length >= 100 && !line.startsWith("|"));
    const beginnings = Map.groupBy(long, (line) => line.slice(0, 70));
    return [...beginnings].filter(([, lines]) => lines.length > 1).map(([words]) => `${page.name}: ${words}`);
  });
  expect(twice).toEqual([]);
});

test("every picture stands in a page, and is drawn from test/docs/pictures, or photographed", () => {
  const kept = readdirSync(join(ROOT, "docs/pictures")).map((name) => `docs/pictures/${name}`);
  const photographs = PHOTOGRAPHS.map(({ file }) => file);
  expect(kept.toSorted()).toEqual([...Object.keys(DRAWINGS), ...photographs].toSorted());
  const shown = PAGES.flatMap(({ text }) =>
    [...text.matchAll(/\]\((pictures\/[^)]+)\)/g)].map(([, path]) => `docs/${path}`),
  );
  expect(shown.toSorted()).toEqual(kept.toSorted());
});

test.each(PHOTOGRAPHS)("$file is a whole picture, and small", ({ file }) => {
  const bytes = readFileSync(join(ROOT, file));
  expect([bytes.readUInt16BE(0), bytes.readUInt16BE(bytes.length - 2)]).toEqual([0xffd8, 0xffd9]);
  expect(bytes.length).toBeLessThanOrEqual(PHOTOGRAPH_BYTES_MAX);
});

describe("docs/states.md", () => {
  /** Types whose kinds are the states, the events and the outcomes. */
  test.each([
    ["src/model/draft.ts", "ChunkState"],
    ["src/model/release.ts", "ReleaseReason"],
    ["src/model/take.ts", "TakeOutcome"],
    ["src/model/commit.ts", "TurnOutcome"],
    ["src/model/conversation.ts", "ConversationStatus"],
  ])("%s: has a word for every kind of %s", (file, name) => {
    const { text } = pageNamed("docs/states.md");
    const kinds = kindsOf(sources, file, name).map((kind) => kind.replace(/^refused: .*/, "refused: CODE"));
    expect(kinds.length).toBeGreaterThan(3);
    expect(kinds.filter((kind) => !text.includes(`\`${kind}\``))).toEqual([]);
  });
});
