import { readdirSync, readFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import peers from "../bench/package.json" with { type: "json" };
import manifest from "../package.json" with { type: "json" };
import { twilio } from "../src/channels/twilio/index.ts";
import { wati } from "../src/channels/wati/index.ts";
import { web } from "../src/channels/web/index.ts";
import { CATALOGUE } from "../src/cli/catalogue.ts";
import { KNOBS } from "../src/config/knobs.ts";
import { CONFIG_VARIABLE } from "../src/config/resolve-settings.ts";
import { TABLES } from "../src/engines/aws/dynamo/tables.ts";
import tsconfig from "../tsconfig.json" with { type: "json" };
import { anchorsOf, blocksOf, linksOf, PAGES, pageNamed, prose } from "./doc-pages.ts";
import { ROOT } from "./staged-package.ts";

test("lull catch-up asks the channels of which docs/operating.md says that it can", () => {
  const channels = { Twilio: twilio.sms(), WATI: wati({}), web: web() };
  const able = Object.entries(channels).filter(([, channel]) => channel.listReceived !== undefined);
  expect(able.map(([name]) => name)).toEqual(["Twilio", "WATI"]);
  expect(pageNamed("docs/operating.md").text).toMatch(
    /keeps a list of that: Twilio's .*\[WATI's\].*The web channel has no provider/s,
  );
});

test("every test that the table of attacks names is there", async () => {
  const { text } = pageNamed("docs/security.md");
  const table = text.slice(text.indexOf("| attack |"), text.indexOf("## Tokens and roles"));
  const named = table
    .split("\n")
    .slice(2)
    .flatMap((line) => [...(line.split(" | ").at(-1) ?? "").matchAll(/`([^`]+\.test\.ts)`/g)])
    .map(([, name = ""]) => (name.includes("/") ? name : `test/hostile/${name}`));
  expect(named.length).toBeGreaterThan(20);
  for (const name of named) await access(join(ROOT, name)).catch(() => expect.fail(`${name} is not there`));
});

describe("code in the docs", () => {
  test("imports what the package exports: the compiler's paths and package.json agree", () => {
    const exported = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
      typeof target === "string"
        ? []
        : [[`lull${subpath.slice(1)}`, [target.types.replace("./dist", "./src").replace(".d.ts", ".ts")]]],
    );
    expect(tsconfig.compilerOptions.paths).toEqual(Object.fromEntries(exported));
  });

  test("installs from the registry only what is there: Lull is not", () => {
    expect(PAGES.filter(({ text }) => /npm (?:install|i)\b[^`\n]* lull(?:[ `@]|$)/m.test(text))).toEqual([]);
  });

  test("in a shell calls commands that exist", () => {
    const known = new Set(CATALOGUE.map(({ name }) => name));
    const called = PAGES.flatMap((page) =>
      [...page.text.matchAll(/(?:`|^|npx )lull (?!listening)([a-z][a-z-]*)/gm)].map(([, name = ""]) => ({
        page: page.name,
        name,
      })),
    );
    expect(called.length).toBeGreaterThan(20);
    expect(called.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  test("in a shell finds lull: by npx, or as the command beside the service", () => {
    const lost = blocksOf("sh").flatMap(({ page, code }) =>
      [...code.matchAll(/^(?:[A-Z_]+=\S+ )*lull .*$/gm)].map(([line]) => `${page}: ${line}`),
    );
    expect(lost).toEqual([]);
  });
});

describe("links", () => {
  const links = PAGES.flatMap((page) =>
    linksOf(page).map(({ path, anchor }) => ({
      from: page.name,
      path: path === "" ? page.name : relative(ROOT, join(ROOT, dirname(page.name), path)),
      anchor,
    })),
  );

  test("lead to files that exist, and to headings in them", async () => {
    expect(links.length).toBeGreaterThan(10);
    for (const { from, path, anchor } of links) {
      await access(join(ROOT, path)).catch(() => expect.fail(`${from} links to ${path}, which is not there`));
      if (anchor === undefined) continue;
      const target = PAGES.find(({ name }) => name === path);
      expect(anchorsOf(target?.text ?? ""), `${from} links to ${path}#${anchor}`).toContain(anchor);
    }
  });

  test("find every page of docs/ from the README", () => {
    const reachable = new Set(["README.md"]);
    for (const page of reachable) {
      for (const { from, path } of links) if (from === page) reachable.add(path);
    }
    expect(PAGES.map(({ name }) => name).filter((name) => !reachable.has(name))).toEqual([]);
  });
});

describe("settings", () => {
  const ENV_NAME = /\b(?:LULL|TWILIO|WATI|OPENAI)_[A-Z_]*[A-Z]\b/g;
  const variables = KNOBS.flatMap(({ env }) => env ?? []);
  const named = KNOBS.flatMap(({ env, kind }) => (kind.type === "secret" ? `${env}_SECRET` : []));
  const ofTables = Object.values(TABLES).map(({ env }) => env);
  const ofEngine = [
    ...readFileSync(join(ROOT, "src/engines/aws/options.ts"), "utf8").matchAll(ENV_NAME),
  ].flat();
  /** What is for those who run the tests, or AWS on a laptop, and not for the program. */
  const ofTests = [
    "tools/aws-local/settings.ts",
    "test/aws/interleavings.test.ts",
    "test/bad-input/hold.ts",
    "test/browser/chromium.ts",
    "vitest.config.ts",
  ].flatMap((file) => [...readFileSync(join(ROOT, file), "utf8").matchAll(ENV_NAME)].flat());
  const isRead = (name: string) =>
    [CONFIG_VARIABLE, ...variables, ...named, ...ofTables, ...ofEngine, ...ofTests].includes(name) ||
    name.startsWith("LULL_QUEUE_");

  test("that the docs name in the environment are read by the program", () => {
    const mentioned = PAGES.flatMap((page) =>
      [...prose(page).matchAll(ENV_NAME)].map(([name]) => ({ page: page.name, name })),
    );
    const shown = ["sh", "text"].flatMap((language) =>
      blocksOf(language).flatMap(({ page, code }) =>
        [...code.matchAll(ENV_NAME)].map(([name]) => ({ page, name })),
      ),
    );
    const codes = errorCodes();
    expect([...mentioned, ...shown].filter(({ name }) => !isRead(name) && !codes.has(name))).toEqual([]);
  });

  test("that the program reads are all in docs/configuration.md", () => {
    const text = pageNamed("docs/configuration.md").text;
    expect(variables.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test.each(KNOBS.filter(({ notInFile }) => !notInFile).map((knob) => [knob.key, knob] as const))(
    "%s is described as it is",
    (key, knob) => {
      const text = pageNamed("docs/configuration.md").text;
      const row = text.split("\n").find((line) => line.includes(`| \`${key}\` |`));
      const cells = row?.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      expect(cells?.slice(1, 4)).toEqual([knob.env ?? "", knob.flag ? `--${knob.flag}` : "", key]);
      if (knob.default !== undefined) expect(cells?.[4]).toBe(String(knob.default));
    },
  );
});

test("docs/dependencies.md gives a reason for every package", () => {
  const text = pageNamed("docs/dependencies.md").text;
  const packages = Object.keys({
    ...manifest.devDependencies,
    ...manifest.peerDependencies,
    ...peers.dependencies,
  });
  expect(packages.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

/** The words that the code, the log and these pages share. A reader has to guess one that is missing here. */
const GLOSSARY_WORDS = [
  "lock",
  "lasting, passing name",
  "ownerless",
  "addressee",
  "unattributed",
  "look",
  "left behind",
  "work",
  "mark",
  ...["message", "channel", "conversation", "person", "visitor", "stranger", "name record", "installation"],
  "project",
  ...[
    "staged",
    "pile",
    "claim",
    "window",
    "trigger",
    "lease",
    "holder",
    "batch",
    "turn",
    "attempt",
    "outage",
    "suspect",
  ],
  ...["responder", "draft", "chunk", "reply", "outcome", "refusal", "outbound", "late answer"],
  ...["sound, foreign", "glance", "fitness", "knob"],
  ...["quarantine", "dead letter", "kept", "unknown send", "late send", "orphan", "sweeper", "settle"],
  ...["hand-off", "pause", "admission", "dedupe memory", "engine", "sqlite", "aws", "queue"],
];
/** Ordinary words of the trade among the nouns of `src/model`, and a name's record. */
const PLAIN_NOUNS = [
  "commit",
  "gauges",
  "history",
  "limits",
  "log",
  "names",
  "release",
  "series",
  "settings",
  "take",
];

test("docs/glossary.md says once what each word means, also of every noun of the model", () => {
  const glossary = PAGES.find(({ name }) => name === "docs/glossary.md")!.text;
  const rows = [...glossary.matchAll(/^\| \*\*(.+?)\*\* \| (.+) \|$/gm)];
  expect(rows.filter(([, , meaning = ""]) => meaning.trim() === "")).toEqual([]);
  expect(rows.map(([, word]) => word).sort()).toEqual([...GLOSSARY_WORDS].sort());
  const nouns = readdirSync(join(ROOT, "src/model"))
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => name.replace(".ts", "").replaceAll("-", " "));
  expect(nouns.filter((noun) => ![...GLOSSARY_WORDS, ...PLAIN_NOUNS].includes(noun))).toEqual([]);
});

test("CONTRIBUTING.md says what each folder of web holds", () => {
  const { text } = pageNamed("CONTRIBUTING.md");
  const entries = readdirSync(join(ROOT, "web"), { withFileTypes: true });
  const folders = entries.filter((each) => each.isDirectory()).map(({ name }) => `web/${name}`);
  expect(folders.filter((folder) => !text.includes(`| \`${folder}\` |`))).toEqual([]);
});

/** `OPENAI_QUOTA` and its like look like variables and are not: errors bear such names, too. */
function errorCodes(): Set<string> {
  const sources = readdirSync(join(ROOT, "src/responders"), { recursive: true, encoding: "utf8" });
  const texts = sources
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(ROOT, "src/responders", path), "utf8"));
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/"((?:OPENAI|HTTP)_[A-Z_]+)"/g)].map(([, code = ""]) => code)),
  );
}

describe("the README", () => {
  const text = readFileSync(join(ROOT, "README.md"), "utf8");

  test("has the two commands that do everything", () => {
    expect(text).toMatch(/^npm install && npm start$/m);
    expect(text).toMatch(/^npm install && npm test$/m);
  });

  test("is short", () => {
    expect(text.split("\n").length).toBeLessThanOrEqual(160);
  });
});
