import { pageNamed } from "../doc-pages.ts";

/** One row of a table of the page. */
export interface SeedRow {
  readonly section: string;
  /** As the document says it, and what it is in Lull. */
  readonly seed: string;
  readonly lull: string;
}

/** A test that the page names. */
export interface Cited {
  readonly file: string;
  readonly title: string;
}

const CASES = /`((?:src|test)\/[\w./-]+\.ts)`: ("[^"]+"(?:, "[^"]+")*)/g;

export const PAGE = "docs/from-the-seeds.md";

/** The rows that say where something is. The table of refusals has a test of its own. */
export function seedRows(text = pageNamed(PAGE).text): SeedRow[] {
  return text.split(/^## /m).flatMap((part) => {
    const [section = ""] = part.split("\n", 1);
    if (section === "Every refusal") return [];
    const rows = part
      .split("\n")
      .filter((line) => /^\| (?!in the seed|in short|step \| do|the protocol as)/.test(line));
    return rows.map((line) => {
      const [seed = "", ...lull] = line.slice(2, -2).split(" | ");
      return { section, seed, lull: lull.join(" | ") };
    });
  });
}

export function citedIn(text: string): Cited[] {
  return [...text.matchAll(CASES)].flatMap(([, file = "", titles = ""]) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title })),
  );
}

/** What stands between backticks, and nothing of the names of tests. */
export function namedIn(text: string): string[] {
  const plain = text.replaceAll(CASES, (_, file: string) => `\`${file}\``);
  return [...plain.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

/** Quotation marks that belong to no test: a title whose file is missing, or a typing error. */
export function strayQuotes(text: string): boolean {
  return text
    .replaceAll(CASES, "")
    .replaceAll(/`[^`]+`/g, "")
    .includes('"');
}

/**
 * Whether the left cell says this: a name between backticks is one of its own there, and what is said in
 * words begins and ends with whole words.
 */
export function holdsItem(cell: string, item: string): boolean {
  if (/^`[^`]+`$/.test(item)) return spansIn(cell).includes(item.slice(1, -1));
  if (!item.includes(" ")) return false;
  for (let at = cell.indexOf(item); at !== -1; at = cell.indexOf(item, at + 1)) {
    const around = [cell[at - 1], item[0], item.at(-1), cell[at + item.length]].map(isOfWord);
    if (!(around[0] && around[1]) && !(around[2] && around[3])) return true;
  }
  return false;
}

function spansIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

function isOfWord(sign = ""): boolean {
  return /[\w`]/.test(sign);
}
