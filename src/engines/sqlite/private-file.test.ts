import { chmodSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makePrivate, makePrivateIfAbsent } from "./private-file.ts";

let file = "";
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "lull-private-")), "a", "b.db");
});

const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("a file for its owner alone", () => {
  it.each([makePrivate, makePrivateIfAbsent])("is made with its folder: %o", (make) => {
    make(file);
    expect([rights(file), rights(join(file, ".."))]).toEqual(["600", "700"]);
  });

  it("that has to be new is not one that somebody else made meanwhile, nor a link of theirs", () => {
    makePrivate(file);
    writeFileSync(file, "theirs");
    chmodSync(file, 0o666);
    expect(() => makePrivate(file)).toThrow("EEXIST");
    symlinkSync(join(file, "..", "elsewhere"), `${file}.link`);
    expect(() => makePrivate(`${file}.link`)).toThrow("EEXIST");
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });

  it("that may be there stays as it is", () => {
    makePrivate(file);
    chmodSync(file, 0o640);
    makePrivateIfAbsent(file);
    expect(rights(file)).toBe("640");
  });
});
