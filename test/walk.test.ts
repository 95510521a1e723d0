import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Hop {
  readonly file: string;
  readonly functions: readonly string[];
}

/** Where a message comes by, column by column: "the same" is what stands in the first. */
function walks(): readonly (readonly Hop[])[] {
  const [, section = ""] = textOf("CONTRIBUTING.md").split("### One message, walked\n");
  const rows = section
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("`"))
    .map((line) => line.split("|").slice(2, 4));
  const cell = (row: readonly string[], at: number) => (/the same/.test(row[at]!) ? row[0]! : row[at]!);
  return [0, 1].map((at) => rows.flatMap((row) => placesIn(cell(row, at))));
}

function placesIn(cell: string): Hop[] {
  return cell.split(";").map((words) => {
    const [file = "", ...functions] = [...words.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    return { file, functions };
  });
}

describe.each(walks().map((walk, at) => [["SQLite", "AWS"][at]!, walk] as const))(
  "the walk of one message on %s",
  (_engine, walk) => {
    test.each(walk.map(({ file, functions }) => [file, functions] as const))(
      "comes by %s",
      (file, functions) => {
        const source = textOf(`src/${file}`);
        expect(functions.length).toBeGreaterThan(0);
        for (const name of functions) expect(source).toMatch(new RegExp(`(?<!\\w)${name}\\(`));
      },
    );

    test("visits no file twice, and enters six functions at most before the first decision", () => {
      const files = walk.map(({ file }) => file);
      expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([]);
      const first = walk.findIndex(({ file }) => file.startsWith("core/"));
      const [, ...entered] = walk.slice(0, first).flatMap(({ functions }) => functions);
      expect(entered.length).toBeGreaterThan(0);
      expect(entered.length).toBeLessThanOrEqual(6);
    });
  },
);
