import { describe, expect, test } from "vitest";
import { BEHAVIOURS, isNamedAfterSource } from "../test/house/behaviours.ts";
import { vagueComments, vagueNames } from "../test/house/comments.ts";
import { complaints } from "../test/house/complaints.ts";
import { cyclesIn } from "../test/house/cycles.ts";
import { HOUSE_RULES } from "../test/house/house-rules.ts";
import { targetsIn } from "../test/house/imports.ts";
import { wideInterfaces } from "../test/house/interfaces.ts";
import { longFunctions, longLines, MEDIAN_LINES_MAX, median } from "../test/house/lengths.ts";
import { unreadLimits } from "../test/house/limits.ts";
import { everythingWritten, FILES, isTest, SOURCES, textOf } from "../test/house/sources.ts";
import { STEPS, STEPS_OF_ONE } from "../test/house/steps.ts";
import { LIMITS } from "./model/limits.ts";

/** The rules are in `test/house`, as data; the tests beside them show that each can be broken. */
describe("the sources", () => {
  const stepsIn = (folder: string) =>
    SOURCES.filter((path) => path.startsWith(folder) && !isTest(path) && !(path in STEPS_OF_ONE))
      .map((path) => path.slice(folder.length))
      .sort();

  test("are all read", () => {
    expect(SOURCES).toContain("core/window.ts");
    expect(SOURCES).toContain("channels/twilio/index.ts");
    expect(SOURCES).toContain("web/phone/timeline.ts");
    expect(SOURCES).toContain("tools/aws-local/main.ts");
    expect(SOURCES).toContain("bench/main.ts");
  });

  test("import nothing that imports them back, not even a type", () => {
    expect(
      cyclesIn(new Map(SOURCES.filter((path) => !isTest(path)).map((path) => [path, targetsIn(path)]))),
    ).toEqual([]);
  });

  test("have no interface of more than twelve members but settings", () => {
    const found = SOURCES.filter((path) => !isTest(path)).flatMap((path) =>
      wideInterfaces(textOf(path)).map((name) => `${path} ${name}`),
    );
    expect(found).toEqual([]);
  });

  test("have tests of the same name beside them, and those of several of them are in the list above", () => {
    const tests = SOURCES.filter(isTest);
    expect(tests.filter((path) => !isNamedAfterSource(path)).sort()).toEqual(Object.keys(BEHAVIOURS).sort());
  });

  test("have no line over 110 characters, and neither have the tests beside them", () => {
    const written = everythingWritten();
    expect(written.map(([path]) => path)).toEqual(
      expect.arrayContaining(["web/phone/phone.css", "test/docs.test.ts", "bench/one-visitor.ts"]),
    );
    const found = written.flatMap(([path, text]) => longLines(text).map((line) => `${path}:${line}`));
    expect(found).toEqual([]);
  });

  test("have comments that name their subject", () => {
    const found = FILES.filter((path) => /\.(?:ts|css)$/.test(path)).flatMap((path) =>
      vagueComments(textOf(path)).map((words) => `${path}: ${words}`),
    );
    expect(found).toEqual([]);
  });

  test("have names that name their subject", () => {
    const found = SOURCES.flatMap((path) => vagueNames(textOf(path)).map((name) => `${path}: ${name}`));
    expect(found).toEqual([]);
  });

  test("have no function of more than sixty lines", () => {
    const found = SOURCES.flatMap((path) => longFunctions(textOf(path)).map((words) => `${path}: ${words}`));
    expect(found).toEqual([]);
  });

  test("have eighty lines or less, half of them", () => {
    const written = SOURCES.filter((path) => !isTest(path) && !path.startsWith("http/page/built/"));
    expect(median(written.map((path) => textOf(path).split("\n").length))).toBeLessThanOrEqual(
      MEDIAN_LINES_MAX,
    );
  });

  test("have the same steps in every engine, but for those that are listed with a reason", () => {
    const folders = new Set(SOURCES.flatMap((path) => /^engines\/[^/]+\/steps\//.exec(path) ?? []));
    expect(folders.size).toBeGreaterThan(1);
    const [first = [], ...others] = [...folders].map(stepsIn);
    expect(first).toEqual(expect.arrayContaining(STEPS.map((step) => `${step}.ts`)));
    for (const own of others) expect(own).toEqual(first);
    expect(SOURCES).toEqual(expect.arrayContaining(Object.keys(STEPS_OF_ONE)));
  });

  test("read every limit that can be set", () => {
    const unread = unreadLimits(
      Object.keys(LIMITS),
      SOURCES.map((path) => [path, textOf(path)]),
    );
    expect(unread).toEqual([]);
  });

  test("import only what their part of the house may, and keep the house rules", () => {
    const found = SOURCES.flatMap((path) => complaints(path, textOf(path)));
    expect(found).toEqual([]);
  });

  test("of the ports are types and nothing that runs", () => {
    const running = SOURCES.filter(
      (path) => path.startsWith("ports/") && /^export (?!type\b|interface\b)/m.test(textOf(path)),
    );
    expect(running).toEqual([]);
  });

  test("are named in kebab-case, after a noun", () => {
    const odd = FILES.filter((path) =>
      path
        .split("/")
        .some(
          (part) =>
            !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?(\.[a-z]+)?$/.test(part) ||
            /^(utils?|helpers?|types|common|misc)\b/.test(part),
        ),
    );
    expect(odd).toEqual([]);
  });

  test("that may use a forbidden thing still exist", () => {
    const excused = HOUSE_RULES.flatMap(({ except = {} }) => Object.keys(except));
    expect(excused.filter((name) => !FILES.some((path) => path.startsWith(name)))).toEqual([]);
  });
});
