import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CATALOGUE, type Entry, type Group } from "../../src/cli/catalogue.ts";
import { KNOBS } from "../../src/config/knobs.ts";
import { METRICS } from "../../src/core/metrics.ts";
import { TABLES } from "../../src/engines/aws/dynamo/tables.ts";
import { engineContract } from "../../src/testing/engine-contract/index.ts";
import { pageNamed } from "../doc-pages.ts";
import { ROOT } from "../staged-package.ts";
import { SEED_ITEMS } from "./seed-items.ts";
import { citedIn, holdsItem, namedIn, PAGE, seedRows, strayQuotes } from "./seeds-page.ts";

const { text } = pageNamed(PAGE);
const ROWS = seedRows(text);
/** Where Lull speaks: not in the words of the seeds. */
const OURS = [...ROWS.map(({ lull }) => lull), text.split(/^## Every refusal$/m)[1] ?? ""].join("\n");

const sources = (folder: string): string =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(ROOT, folder, path), "utf8"))
    .join("\n");

describe("what the page says of Lull is there:", () => {
  const cited = citedIn(text);
  const contract = new Set(engineContract.map(({ title }) => title));

  test.each(cited.map(({ file, title }) => [file, title]))("%s: %s", (file, title) => {
    const code = readFileSync(join(ROOT, file), "utf8");
    const isThere = [`"${title}"`, `\`${title}\``, `\`${title}$\{`].some((literal) => code.includes(literal));
    expect(isThere, `${file} has no test "${title}"`).toBe(true);
    if (file.startsWith("src/testing/engine-contract/")) expect(contract).toContain(title);
  });

  test("every title has its file", () => {
    expect(cited.length).toBeGreaterThan(80);
    expect(ROWS.filter(({ lull }) => strayQuotes(lull))).toEqual([]);
  });

  test.each([...new Set(namedIn(OURS))].map((name) => [name]))("`%s`", async (name) => {
    expect(await isKnown(name)).toBe(true);
  });
});

const SOURCES = sources("src");
const OPERATING = pageNamed("docs/operating.md").text;
const AWS = pageNamed("docs/aws.md").text;
const API = pageNamed("docs/http-api.md").text;
const KEYS = KNOBS.map(({ key }) => key);
const VARIABLES = [
  ...KNOBS.flatMap(({ env }) => env ?? []),
  ...Object.values(TABLES).map(({ env }) => env),
  ...[...sources("src/engines/aws").matchAll(/\bLULL_QUEUE_[A-Z]+\b/g)].flat(),
];

/** Each kind of name has one place that knows it. What is of no kind has to be a word of the sources. */
async function isKnown(name: string): Promise<boolean> {
  if (/^(?:src|test|deploy)\//.test(name)) return existsSync(join(ROOT, name));
  if (/^(?:watch )?lull /.test(name))
    return isCommand(
      name
        .replace(/^watch /, "")
        .split(" ")
        .slice(1),
    );
  if (name.startsWith("--")) return isFlagOfMigrate(name.slice(2));
  if (/^(?:(?:LULL|WATI|TWILIO|OPENAI)_|PORT$)/.test(name)) return isVariable(name);
  if (name.endsWith("_tokens_sum")) return AWS.includes(`\`${name}\``);
  if (name.startsWith("lull_")) return Object.hasOwn(METRICS, name);
  if (/^Lull[A-Z]/.test(name)) return OPERATING.includes(`\n| \`${name}\` | `);
  if (/^(?:limits|window)\./.test(name) && !isEvent(name)) return KEYS.includes(name);
  if (/^[a-z]+\.[a-z-]+$/.test(name) && name !== "lull.db") return isEvent(name);
  if (/^(?:GET|POST) /.test(name)) return isRoute(name);
  if (/^[A-Z][a-zA-Z]+$/.test(name) && AWS.includes(`| \`${name}\``)) return true;
  if (/^\w+: "[\w-]+"$/.test(name)) return isChoice(name);
  if (name.startsWith("npm ") || name.startsWith("systemctl ")) return isOfTheShell(name);
  return name.split(/[^\w-]+/).every((word) => word === "" || isWord(word));
}

const isEvent = (name: string) =>
  OPERATING.includes(`\n| \`${name}\``) || OPERATING.includes(`, \`${name}\` | `);
const isWord = (word: string) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(SOURCES);
const isVariable = (name: string) =>
  VARIABLES.includes(name.replace(/=.*$/, "")) || name === "LULL_QUEUE_<CHANNEL>";
const isRoute = (name: string) => API.includes(`\n### ${name.replace("<channel>", "{channel}")}\n`);

function isChoice(name: string): boolean {
  const [, key = "", value = ""] = /^(\w+): "([\w-]+)"$/.exec(name) ?? [];
  const kind = KNOBS.find((knob) => knob.key === key)?.kind;
  return JSON.stringify(kind ?? {}).includes(`"${value}"`);
}

function isOfTheShell(name: string): boolean {
  const unit = existsSync(join(ROOT, "deploy/lull.service"));
  return name === "npm test" || (name === "systemctl restart lull" && unit);
}

async function isCommand(words: readonly string[]): Promise<boolean> {
  const [name, ...rest] = words;
  const entry = CATALOGUE.find((each) => each.name === name);
  if (!entry) return false;
  if (!("commands" in entry)) return hasFlags(entry, rest);
  const [first] = rest;
  if (first === undefined) return (entry as Group).bare !== undefined;
  const command = entry.commands.find((each) => each.name === first);
  return command !== undefined && hasFlags(command, rest.slice(1));
}

async function hasFlags(entry: Entry, words: readonly string[]): Promise<boolean> {
  const { options = {}, settings } = await entry.load();
  const ofSettings = settings === "all" ? KNOBS.flatMap(({ flag }) => flag ?? []) : [];
  const flags = words.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
  return flags.every((flag) => Object.hasOwn(options, flag) || ofSettings.includes(flag));
}

async function isFlagOfMigrate(flag: string): Promise<boolean> {
  const migrate = CATALOGUE.find(({ name }) => name === "migrate") as Group;
  const commands = await Promise.all(migrate.commands.map(({ load }) => load()));
  return commands.some(({ options = {} }) => Object.hasOwn(options, flag));
}

describe("what the seeds hold has a row:", () => {
  test.each(Object.entries(SEED_ITEMS))("%s", (section, items) => {
    const rows = ROWS.filter((row) => row.section === section).map(({ seed }) => seed);
    expect(rows.length).toBeGreaterThan(15);
    expect(items.filter((item) => !rows.some((row) => holdsItem(row, item)))).toEqual([]);
  });

  test("a name counts where it stands by itself, words where they are whole", () => {
    const row = "step 1: expiry = now + `W` + `buffer` (60 s), the table's TTL";
    const found = (...items: string[]) => items.filter((item) => holdsItem(row, item));
    expect(found("step 1", "`W`", "`buffer`", "the table's TTL", "(60 s)")).toHaveLength(5);
    expect(found("step", "`buff`", "`now`", "buffer", "he table's TTL", "TTL", "step 1: exp")).toEqual([]);
  });

  test("no row stands there for what is no item", () => {
    const known = ROWS.filter(({ section }) => section in SEED_ITEMS);
    const isItem = ({ section, seed }: (typeof ROWS)[number]) =>
      SEED_ITEMS[section]!.some((item) => holdsItem(seed, item));
    expect(known.filter((row) => !isItem(row))).toEqual([]);
  });

  test("no item is found by chance: each is a name, or words that say which", () => {
    const short = Object.values(SEED_ITEMS)
      .flat()
      .filter((item) => !item.startsWith("`") && item.split(" ").length < 2);
    expect(short).toEqual([]);
    for (const items of Object.values(SEED_ITEMS)) expect(items).toEqual([...new Set(items)]);
  });

  test("each row says where it is, or why not", () => {
    expect(ROWS.filter(({ lull }) => lull.trim().length < 5)).toEqual([]);
    expect(ROWS.filter(({ section, seed }) => section in SEED_ITEMS && seed === "")).toEqual([]);
  });

  test("fourteen ways to lose a message, each with its case", () => {
    const ways = ROWS.filter(({ section }) => section === "Fourteen ways to lose a message");
    expect(ways.map(({ seed }) => Number.parseInt(seed, 10))).toEqual(
      Array.from({ length: 14 }, (_, n) => n + 1),
    );
    expect(ways.filter(({ lull }) => citedIn(lull).length === 0)).toEqual([]);
  });
});
