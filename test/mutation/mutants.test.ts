import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { engineContract } from "../../src/testing/engine-contract/index.ts";
import { AWS_REMOVALS } from "../aws/protections.ts";
import { REMOVALS } from "../simulation/protections.ts";
import { EXPLAINED } from "./explained.ts";
import { Lane } from "./lane-process.ts";
import { mutantsOf, mutated } from "./mutants.ts";
import { NAMED } from "./removals.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const isOfTheContract = (start: string) => engineContract.some(({ title }) => title.startsWith(start));
const sourceOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

describe("mutants", () => {
  const changes = (source: string) => mutantsOf("a.ts", source).map(({ change }) => change);

  it("are what a slip of the hand could have written", () => {
    expect(changes("const isOver = nowMs >= untilAtMs && !isHeld;")).toEqual([
      "nowMs >= untilAtMs && !isHeld → nowMs >= untilAtMs || !isHeld",
      "nowMs >= untilAtMs → nowMs > untilAtMs",
      "nowMs >= untilAtMs → nowMs < untilAtMs",
      "!isHeld → isHeld",
    ]);
    const found = changes("if (a) await persist(b);");
    expect(found).toEqual(["a → true", "a → false", "await persist(b); → ;"]);
    expect(changes('const next = { ...state, lease: undefined, retry: "later" };')).toEqual([
      "lease: undefined → ...{}",
      '"later" → "never"',
    ]);
    expect(changes("const least = Math.min(a ?? 0, 7);")).toEqual([
      "min → max",
      "a ?? 0 → a",
      "0 → 1",
      "7 → 8",
    ]);
  });

  it("leave types, imports and words for people alone", () => {
    expect(
      changes('import { a } from "a"; let b: 1 | true; log("warn", "x", { n: 1 }); new Error("a" + 1);'),
    ).toEqual([]);
  });

  it("are told apart on one line, and put where they belong", () => {
    const source = "f(1, 1);";
    const [, first, second] = mutantsOf("a.ts", source);
    expect([first?.change, second?.change]).toEqual(["1 → 2", "1 → 2 (2)"]);
    expect(mutated(source, second!)).toBe("f(1, 2);");
  });
});

it.each(EXPLAINED.map((each) => [`${each.file}: ${each.change}`, each] as const))(
  "still there to be explained: %s",
  (_title, { file, code, change }) => {
    const there = mutantsOf(file, sourceOf(file));
    expect(there.filter((each) => each.code === code && each.change === change)).not.toEqual([]);
  },
);

it.each([...NAMED, ...REMOVALS, ...AWS_REMOVALS])(
  "still there to be taken out: $protection",
  ({ patches }) => {
    for (const { file, find } of patches) expect(sourceOf(`src/${file}`)).toContain(find);
  },
);

const titled = NAMED.flatMap(({ title, tests }) => (title === undefined ? [] : [{ title, tests }]));

it.each(titled)("still there to notice it: $title", ({ title, tests }) => {
  const sources = tests.flatMap((path) => (path.endsWith(".ts") ? [sourceOf(path)] : []));
  const words = title.replaceAll('"', '\\"');
  // The contract's cases have their titles elsewhere.
  const isCase = tests.some((path) => path.endsWith("/contract.test.ts")) && isOfTheContract(title);
  expect(isCase || sources.some((source) => source.includes(title) || source.includes(words))).toBe(true);
});

it("a lane says which mutants are killed and which survive, one after the other", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lull-lane-"));
  const lane = new Lane(ROOT, join(folder, "lane"));
  try {
    const file = "src/core/lease.ts";
    const killed = mutantsOf(file, sourceOf(file)).find(({ change }) =>
      change.endsWith("→ nowMs <= lease.untilAtMs + skewMs"),
    );
    const stages = [["src/core/lease.test.ts"]];
    expect(await lane.order({ mutant: killed!, stages })).toEqual({
      kind: "killed",
      by: "src/core/lease.test.ts",
    });
    expect(await lane.order({ stages })).toEqual({ kind: "survived" });
    expect(await lane.order({ mutant: killed!, stages })).toMatchObject({ kind: "killed" });
  } finally {
    lane.end();
    await rm(folder, { recursive: true, force: true });
  }
});
