import { readdirSync, readFileSync } from "node:fs";

const SRC = new URL("../../src/", import.meta.url);
/** Beside `src`, and by their whole path: what runs in a browser, and what people run from a checkout. */
const BESIDE = ["web/", "tools/", "bench/"];

/** Every file that has rules: those of `src` by their path in it. Folders have no ending. */
export const FILES = [
  ...pathsIn(SRC),
  ...BESIDE.flatMap((folder) => pathsIn(new URL(`../${folder}`, SRC)).map((path) => folder + path)),
].filter((path) => /\.\w+$/.test(path));

export const SOURCES = FILES.filter((path) => path.endsWith(".ts"));

function pathsIn(folder: URL): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // The bench installs its peers beside itself.
  return paths.map((path) => path.replaceAll("\\", "/")).filter((path) => !path.startsWith("node_modules/"));
}

export function textOf(path: string): string {
  return readFileSync(new URL(isBeside(path) ? `../${path}` : path, SRC), "utf8");
}

/** With the tests beside the sources, which have fewer rules: path, and what is in it. */
export function everythingWritten(): (readonly [string, string])[] {
  const root = new URL("../test/", SRC);
  const beside = pathsIn(root).map((path) => [`test/${path}`, new URL(path, root)] as const);
  const isWritten = (path: string) => /\.(?:ts|css)$/.test(path) && !path.includes("/built/");
  return [
    ...FILES.filter(isWritten).map((path) => [path, textOf(path)] as const),
    ...beside
      .filter(([path]) => isWritten(path))
      .map(([path, url]) => [path, readFileSync(url, "utf8")] as const),
  ];
}

export function isBeside(path: string): boolean {
  return BESIDE.some((folder) => path.startsWith(folder));
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}
