import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openConnection } from "./connection.ts";
import { placeProblem } from "./place.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-place-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opening = (file: string) => () => openConnection({ file, synchronous: "full" });

test("a path that is free, however deep, and a database that is there are no problem", () => {
  const file = join(folder, "deep", "down", "lull.db");
  expect(placeProblem(file)).toBeUndefined();
  opening(file)().close();
  expect(placeProblem(file)).toBeUndefined();
});

test("a file where a folder has to be is named, by the open as well", () => {
  const inTheWay = join(folder, "data");
  writeFileSync(inTheWay, "");
  const file = join(inTheWay, "deep", "lull.db");
  const choose = "choose another path (--db, LULL_DB), or move it away";
  const why = `${inTheWay} is a file where a folder has to be: ${choose}`;
  expect(placeProblem(file)).toBe(why);
  expect(opening(file)).toThrow(`cannot open the database ${file}: ${why}`);
});

test("a folder where the file has to be is named, by the open as well", () => {
  mkdirSync(join(folder, "data"));
  const file = join(folder, "data");
  expect(placeProblem(file)).toBe(`${file} is a folder: name a file in it (--db, LULL_DB)`);
  expect(opening(file)).toThrow(`cannot open the database ${file}: ${file} is a folder`);
});

// Node's own recursive `mkdir` never ends there.
test.runIf(process.platform === "linux")(
  "a folder that no file system makes ends the open, with its path",
  () => {
    expect(opening("/proc/lull-is-not-here/data/lull.db")).toThrow(
      /^cannot open the database .*: the folder \/proc\/lull-is-not-here cannot be made \(ENOENT\)$/,
    );
  },
);
