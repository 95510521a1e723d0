import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./staged-package.ts";

export interface Page {
  /** Its path from the root of the repository. */
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

export interface Block {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

/** Every page that a reader may open: those beside the README, and those of `docs`. */
export const PAGES: readonly Page[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map((name) => pageFrom(name, readFileSync(join(ROOT, name), "utf8")));

export function pageNamed(name: string): Page {
  const page = PAGES.find((each) => each.name === name);
  if (page === undefined) throw new Error(`there is no page ${name}`);
  return page;
}

export function blocksOf(language: string): (Block & { readonly page: string })[] {
  return PAGES.flatMap(({ name, blocks }) =>
    blocks.filter((block) => block.language === language).map((block) => ({ ...block, page: name })),
  );
}

/** Code whose first line names its file (`// pigeon.ts`): blocks of one page may import each other. */
export function namedBlocksOf(page: string): { readonly file: string; readonly code: string }[] {
  return blocksOf("ts").flatMap((block) => {
    const file = fileNameOf(block);
    return block.page === page && file !== undefined ? { file, code: block.code } : [];
  });
}

export function fileNameOf({ code }: Block): string | undefined {
  return /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1];
}

/** What is said, without what is shown. */
export function prose({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

/** Where it leads in the repository, or in the package. The path of a place on the page itself is empty. */
export function linksOf(page: Page): { readonly path: string; readonly anchor: string | undefined }[] {
  return [...prose(page).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)].map(([, path = "", anchor]) => ({
    path,
    anchor: anchor?.slice(1),
  }));
}

export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

export function pageFrom(name: string, text: string): Page {
  return { name, text, blocks: blocksIn(text) };
}

function blocksIn(text: string): Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language = "", 2: code = "" }) => ({
      language,
      code,
      line: text.slice(0, index).split("\n").length,
    }),
  );
}
