import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Browsers that have `requestSubmit`, which the page needs, have this; styles are left as they are. */
const TARGET = "es2022";

export interface BundledPage {
  readonly html: string;
  /** Hashes as a Content-Security-Policy wants them. */
  readonly script: string;
  readonly style: string;
}

/** One folder of `web` as one document that asks for nothing else: script, style and icon are in it. */
export async function bundlePage(folder: string): Promise<BundledPage> {
  const page = join(ROOT, "web", folder);
  const source = await readFile(join(page, "index.html"), "utf8");
  const script = await bundle(page, named(source, /<script type="module" src="([^"]+)">/));
  const style = await bundle(page, named(source, /<link rel="stylesheet" href="([^"]+)">/));
  const icon = named(source, /<link rel="icon" href="([^"]+)">/);
  const html = squeezed(source)
    .replace(/<script type="module"[^>]*>/, () => `<script>${script}`)
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(`href="${icon}"`, await dataUrl(join(page, icon)));
  return { html, script: hashOf(script), style: hashOf(style) };
}

function named(source: string, tag: RegExp): string {
  const name = tag.exec(source)?.[1];
  if (name === undefined) throw new Error(`index.html has no ${tag.source}`);
  return name;
}

async function bundle(page: string, entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(page, entry)],
    bundle: true,
    minify: true,
    format: "iife",
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    write: false,
  });
  return outputFiles[0]!.text.trim();
}

/** Comments and indentation are for readers of the source; a browser takes a line's end for a space. */
function squeezed(html: string): string {
  const lines = html.replaceAll(/<!--.*?-->/gs, "").split(/\r?\n/);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

async function dataUrl(file: string): Promise<string> {
  return `href="data:image/svg+xml,${encodeURIComponent(squeezed(await readFile(file, "utf8")))}"`;
}

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
