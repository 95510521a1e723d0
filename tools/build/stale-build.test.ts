import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { buildOf } from "./stale-build.ts";

const [BEFORE, BUILT, AFTER] = [1_000, 2_000, 3_000];
let root: string;

function write(path: string, atSeconds: number): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  for (let each = file; each !== root; each = dirname(each)) utimesSync(each, atSeconds, atSeconds);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "build-"));
  write("package.json", BEFORE);
  write("src/cli/main.ts", BEFORE);
  write("src/index.ts", BEFORE);
  write("dist/cli/main.js", BUILT);
});

it("a build that is newer than all of its sources is used", () => {
  expect(buildOf(root)).toBe("fresh");
});

it.each(["src/index.ts", "src/cli/main.ts", "package.json", "tsconfig.build.json", "tools/build/bundle.ts"])(
  "a change of %s makes it stale",
  (path) => {
    write(path, AFTER);
    expect(buildOf(root)).toBe("stale");
  },
);

it("so does a source that was removed", () => {
  rmSync(join(root, "src/index.ts"));
  expect(buildOf(root)).toBe("stale");
});

it("after an installation there is none", () => {
  rmSync(join(root, "dist"), { recursive: true });
  expect(buildOf(root)).toBe("missing");
});

it("is looked at by npm start, before the service", () => {
  expect(manifest.scripts.prestart).toBe("node tools/build/main.ts");
  expect(manifest.scripts.start).toBe("node bin/lull.js dev");
});
