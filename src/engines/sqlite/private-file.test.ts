import { chmodSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeNew, makePrivateIfAbsent } from "./private-file.ts";

let file = "";
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "lull-private-")), "a", "b.db");
});

const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("a file for its owner alone", () => {
  it("is made with its folder", () => {
    makePrivateIfAbsent(file);
    expect([rights(file), rights(join(file, ".."))]).toEqual(["600", "700"]);
  });

  it("that has to be new is not one that another user made meanwhile, nor a link of theirs", () => {
    makePrivateIfAbsent(file);
    writeFileSync(file, "theirs");
    chmodSync(file, 0o666);
    expect(() => makeNew(file)).toThrow("EEXIST");
    symlinkSync(join(file, "..", "elsewhere"), `${file}.link`);
    expect(() => makeNew(`${file}.link`)).toThrow("EEXIST");
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });

  it("that may be there stays as it is", () => {
    makePrivateIfAbsent(file);
    chmodSync(file, 0o640);
    makePrivateIfAbsent(file);
    expect(rights(file)).toBe("640");
  });
});
