import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

/** What a part of the house may import. Its names are folders under `src`, or files directly under it. */
interface Rule {
  readonly imports: readonly string[];
  /** Where types may come from, and nothing that runs. */
  readonly types?: readonly string[];
  /** Optional subpaths that may be loaded on demand (`import()`), and not before. */
  readonly onDemand?: readonly string[];
  /** Modules of Node; every one where left out. */
  readonly builtins?: readonly string[];
}

const BASE = ["model", "core", "ports", "wire", "process", "errors.ts", "secrets"];
const LEAF: Rule = { imports: [...BASE, "own folder"] };
/**
 * The memory and the SQLite engine are two table stores under one set of steps; the steps are in
 * `engines/embedded`.
 */
const TABLE_STORE: Rule = { imports: [...LEAF.imports, "engines/embedded"] };
const LEAVES = ["engines", "channels", "responders"];
/**
 * Subpaths whose packages are optional peers. If anything else imported them, every user would have to
 * install those packages.
 */
const OPTIONAL = ["responders/queue", "engines/aws", "lambda", "cdk", "secrets/manager"];

const RULES: Readonly<Record<string, Rule>> = {
  /** The nouns: no part of the house is below them. */
  model: { imports: ["model"], builtins: [] },
  core: { imports: ["model", "core"], builtins: ["node:crypto"] },
  ports: { imports: [], types: ["model", "ports"], builtins: [] },
  runtime: { imports: [...BASE, "runtime"] },
  engines: LEAF,
  channels: LEAF,
  responders: LEAF,
  "engines/memory": TABLE_STORE,
  "engines/sqlite": TABLE_STORE,
  http: { imports: [...BASE, "runtime", ...LEAVES, "http"] },
  /** Not the engines: the caller brings those that it can run with. */
  config: {
    imports: [...BASE, "runtime", "channels", "responders", "config"],
    onDemand: ["responders/queue"],
  },
  cli: {
    imports: [...BASE, "runtime", ...LEAVES, "http", "index.ts", "config", "cli"],
    onDemand: ["engines/aws", "secrets/manager"],
  },
  /** Of the engine, its two doors. */
  lambda: {
    imports: [
      ...[...BASE, "runtime", "channels", "responders", "http", "index.ts", "config", "lambda"],
      ...["secrets/manager", "engines/aws/index.ts", "engines/aws/for-functions.ts"],
    ],
  },
  /** It has no caller that could pass it a clock: it stands at the edge, like the CLI. */
  "secrets/manager": { imports: [...BASE, "runtime/system-clock.ts", "own folder"] },
  testing: { imports: [...BASE, "runtime", ...LEAVES, "http", "index.ts", "testing"] },
  // It names what runs by its path: a deployment loads nothing of it, except what its variables may say.
  cdk: { imports: ["cdk", "config/resolve-settings.ts"] },
  "errors.ts": { imports: [], builtins: [] },
  process: { imports: ["errors.ts"], types: ["model"] },
  secrets: { imports: ["errors.ts", "secrets"], types: ["ports"] },
  /** What talking to providers needs. */
  wire: { imports: ["model", "core", "errors.ts", "wire"], types: ["ports"] },
  "index.ts": { imports: [...BASE, "runtime", "http"] },
  // A page runs in a browser: nothing of the service, nothing of Node, and no page leans on another.
  "web/phone": { imports: ["web/phone", "web/shared"], types: ["src/http/feed-shape.ts"], builtins: [] },
  "web/shared": { imports: ["web/shared"], builtins: [] },
  "web/build": { imports: ["web/build"] },
  // Run from a checkout, by people: it stands on the sources, and no test is below it.
  "tools/aws-local": { imports: ["tools/aws-local", "src"] },
  // Run from a checkout, too: it measures the built program from outside, and draws as the docs do.
  bench: { imports: ["bench", "src/testing", "test", "package.json"] },
};

/**
 * A test may also stand on what is made for tests (`testing`, and `test` beside `src`), on any engine, and on
 * what drives them.
 */
const FOR_TESTS = ["testing", "wire", "engines", "runtime", "index.ts", "outside", "src", "test"];

interface HouseRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly say: string;
  /** Files or folders that may, each with its reason. */
  readonly except?: Readonly<Record<string, string>>;
  readonly inTests: boolean;
}

const anyOf = (...patterns: readonly RegExp[]) => new RegExp(patterns.map(({ source }) => source).join("|"));

const HOUSE_RULES: readonly HouseRule[] = [
  {
    name: "the clock is handed in",
    pattern: anyOf(
      /\bDate\.now\b|\bnew Date\(\)|\bset(?:Timeout|Interval)\(/,
      /\bperformance\.now\b|\bAbortSignal\.timeout\b|node:timers/,
    ),
    say: "asks the machine for the time; take a Clock instead",
    except: {
      "runtime/system-clock.ts": "is the machine's time",
      "http/page/built/": "is made from web, which keeps to this itself",
      "web/phone/main.ts": "hands the browser's clock to the rest of the page",
      "cli/commands/doctor.ts": "waits for strangers on the network, and no turn depends on it",
      "tools/aws-local/bootstrap.ts": "is Lambda's runtime: what is left of a function's time is real",
      "tools/aws-local/crashing-handlers.ts": "throws from a timer, where nothing can catch it",
      "tools/aws-local/sample-handlers.ts": "is slow in real time: so is the process that it runs in",
      "testing/fake-openai.ts": "stamps requests of real processes, which live in real time",
      "bench/": "measures real processes, in real time",
    },
    inTests: false,
  },
  {
    name: "the log quotes no error",
    pattern: /\b(?:reason|error): String\(/,
    say: "logs an error's own words, which may be a customer's; use tellable",
    inTests: false,
  },
  {
    name: "named exports",
    pattern: /^export default\b/m,
    say: "has a default export; name it",
    inTests: true,
  },
  {
    name: "no any",
    pattern: /(?::|\bas|<|\|)\s*any\b\s*(?:[;,)>=|&[{]|$)/m,
    say: "uses any; say unknown and look",
    except: {
      "testing/fake-openai.ts": "tests read deep into a recorded body and say themselves what they expect",
    },
    inTests: true,
  },
];

const SRC = new URL("./", import.meta.url);
const SELF = "boundaries.test.ts";
/** Beside `src`, and by their whole path: what runs in a browser, and what people run from a checkout. */
const BESIDE = ["web/", "tools/", "bench/"];
const FILES = [
  ...pathsIn(SRC),
  ...BESIDE.flatMap((folder) => pathsIn(new URL(`../${folder}`, SRC)).map((path) => folder + path)),
]
  // Folders have no ending. Its own samples are bad on purpose.
  .filter((path) => /\.\w+$/.test(path) && path !== SELF);
const manifest = JSON.parse(readFileSync(new URL("../package.json", SRC), "utf8")) as {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
};

function pathsIn(folder: URL): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // The bench installs its peers beside itself.
  return paths.map((path) => path.replaceAll("\\", "/")).filter((path) => !path.startsWith("node_modules/"));
}

function textOf(path: string): string {
  return readFileSync(urlOf(path), "utf8");
}

function urlOf(path: string): URL {
  return new URL(isBeside(path) ? `../${path}` : path, SRC);
}

function isBeside(path: string): boolean {
  return BESIDE.some((folder) => path.startsWith(folder));
}

interface Import {
  readonly specifier: string;
  readonly typesOnly: boolean;
  readonly onDemand?: true;
}

/**
 * Statements start a line, as the formatter leaves them; what starts a worker thread counts as an import,
 * too.
 */
function importsIn(source: string): Import[] {
  const named = source.matchAll(/^(?:import|export)\s+(type\s+)?([\w\s{},*$]*?)\bfrom\s+"([^"]+)"/gm);
  const bare = source.matchAll(/^import\s+"([^"]+)"/gm);
  const dynamic = source.matchAll(/\bimport\(\s*"([^"]+)"/g);
  const threads = source.matchAll(/\bnew URL\(\s*"(\.[^"]+\.[jt]s)",\s*import\.meta\.url/g);
  return [
    ...[...named].map(([, type, names = "", specifier = ""]) => ({
      specifier,
      typesOnly: type !== undefined || isTypes(names),
    })),
    ...[...bare, ...threads].map(([, specifier = ""]) => ({ specifier, typesOnly: false })),
    ...[...dynamic].map(([, specifier = ""]) => ({
      specifier,
      typesOnly: false,
      onDemand: true as const,
    })),
  ];
}

function isTypes(names: string): boolean {
  const each = names.replaceAll(/[{}]/g, "").split(",");
  return each.every((name) => name.trim() === "" || name.trim().startsWith("type "));
}

function ruleFor(path: string): Rule | undefined {
  const [folder = "", inner] = path.split("/");
  const inside = `${folder}/${inner}`;
  const isInside = LEAVES.includes(folder) || isBeside(path) || Object.hasOwn(RULES, inside);
  const own = isInside ? inside : folder;
  const rule = RULES[own] ?? RULES[folder] ?? (isTest(path) ? { imports: BASE } : undefined);
  return rule && { ...rule, imports: rule.imports.map((name) => (name === "own folder" ? own : name)) };
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

/** Every forbidden thing in a source, in words. */
function complaints(path: string, source: string): string[] {
  const rule = ruleFor(path);
  if (rule === undefined) return [`${path} is in a part of the house that has no rule: add one to ${SELF}`];
  return [
    ...importsIn(source)
      .filter((each) => !mayImport(rule, path, each))
      .map(
        ({ specifier, typesOnly }) => `${path} may not import ${typesOnly ? "types from " : ""}${specifier}`,
      ),
    ...houseRules(path, source),
  ];
}

function mayImport(rule: Rule, path: string, { specifier, typesOnly, onDemand }: Import): boolean {
  if (specifier.startsWith("node:")) return isTest(path) || (rule.builtins?.includes(specifier) ?? true);
  if (!specifier.startsWith(".")) return isInstalled(specifier, path);
  // Node runs the sources as they are, so an import has to name the file as it is.
  if (!/\.(ts|json)$/.test(specifier)) return false;
  const target = posix.join(posix.dirname(path), specifier);
  if (isOptional(target) && !isOptional(path) && !isTest(path))
    return onDemand === true && (rule.onDemand ?? []).some((area) => target.startsWith(`${area}/`));
  const areas = [
    ...rule.imports,
    ...(typesOnly ? (rule.types ?? []) : []),
    ...(isTest(path) ? FOR_TESTS : []),
  ];
  return (
    areas.some((area) =>
      area === "outside" ? target.startsWith("..") : target === area || target.startsWith(`${area}/`),
    ) ||
    (isTest(path) && posix.dirname(target) === posix.dirname(path))
  );
}

/**
 * A user who installs the package gets its `dependencies` and nothing else; optional subpaths say themselves
 * what they need.
 */
function isInstalled(specifier: string, path: string): boolean {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const { dependencies, devDependencies, peerDependencies } = manifest;
  const isForDevelopers = isTest(path) || /^(?:web\/build|tools|bench)\//.test(path);
  const installed = {
    ...dependencies,
    ...(isOptional(path) && peerDependencies),
    ...(isForDevelopers && devDependencies),
  };
  return Object.hasOwn(installed, name) || Object.hasOwn(installed, `@types/${name}`);
}

function isOptional(path: string): boolean {
  return OPTIONAL.some((folder) => path.startsWith(`${folder}/`));
}

function houseRules(path: string, source: string): string[] {
  const code = withoutComments(source);
  const broken = HOUSE_RULES.filter(
    ({ pattern, inTests, except = {} }) =>
      (inTests || !isTest(path)) &&
      pattern.test(code) &&
      !Object.keys(except).some((name) => path.startsWith(name)),
  ).map(({ say }) => `${path} ${say}`);
  // These live in comments.
  if (/@ts-(?:ignore|nocheck)/.test(source)) broken.push(`${path} silences the compiler`);
  return broken;
}

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}

function targetsIn(path: string): string[] {
  return importsIn(textOf(path))
    .filter(({ specifier, onDemand }) => specifier.startsWith(".") && !onDemand)
    .map(({ specifier }) => posix.join(posix.dirname(path), specifier));
}

/** Each as the way round, from its first file in the alphabet on. */
function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at !== -1) found.add(fromFirst(way.slice(at)).join(" -> "));
    if (at !== -1 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const path of targets.keys()) follow(path, []);
  return [...found];
}

function fromFirst(ring: readonly string[]): string[] {
  const at = ring.indexOf([...ring].sort()[0]!);
  return [...ring.slice(at), ...ring.slice(0, at)];
}

const MEMBERS_MAX = 12;
/** A setting each, in a flat list: how a person writes them. */
const SETTINGS = new Set(["Settings", "LimitsConfig", "LullConfig", "LullProps"]);

function wideInterfaces(source: string): string[] {
  const found = source.matchAll(/^(?:export )?interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm);
  return [...found].flatMap(([, name = "", body = ""]) => {
    const members =
      withoutComments(body)
        .match(/^ {2}\S/gm)
        ?.filter((line) => !/^ {2}[})\]|]/.test(line)) ?? [];
    return members.length > MEMBERS_MAX && !SETTINGS.has(name)
      ? [`${name} has ${members.length} members`]
      : [];
  });
}

/**
 * Tests of what several files do together, and what that is. Every other test stands beside the file that it
 * is named after, or is named after its folder: `twilio/twilio.test.ts`.
 */
const BEHAVIOURS: Readonly<Record<string, string>> = {
  "engines/aws/steps/drain-cost.test.ts": "what a pile costs to drain, in requests and units",
  "engines/sqlite/drain-cost.test.ts": "what a pile costs to drain, in rows that are read",
  "engines/sqlite/durability.test.ts": "what was acknowledged is on the disk",
  "engines/sqlite/foreign-rows.test.ts": "rows that another program wrote stop no conversation",
  "engines/sqlite/lost-file.test.ts":
    "a database file that is deleted, moved or replaced under a running service",
  "http/api-sizes.test.ts": "what is too large for the API is refused",
  "http/audit.test.ts": "what is changed through the API is told of",
  "http/web-visitors.test.ts": "the pace and the lengths of visitors",
  "runtime/full-conversation.test.ts": "a conversation in which too much waits",
  "runtime/long-replies.test.ts": "replies and late answers at their limits",
  "runtime/lost-lease.test.ts": "a worker whose lease is another's sends nothing",
  "runtime/nudging.test.ts": "a turn begins the moment it is due",
  "runtime/outages.test.ts": "responder, provider or credentials away for minutes, and back",
  "runtime/own-addresses.test.ts": "channels of one type keep to their own addresses",
  "runtime/quoted-errors.test.ts": "customers' words in errors stay out of the log",
  "runtime/restarting.test.ts": "a service that was stopped, and is started again",
  "runtime/starting.test.ts": "when a service starts, and when it is ready",
  "runtime/waking.test.ts": "a turn within the time of the function that woke it",
  "runtime/worker-timers.test.ts": "a worker waits for one moment at a time",
  "tools/aws-local/crashes.test.ts": "a function that crashes prints no customer's words",
};

function isNamedAfterSource(path: string): boolean {
  const source = path.replace(/\.test\.ts$/, ".ts");
  const [, folder, name] = /([^/]+)\/([^/]+)\.test\.ts$/.exec(path) ?? [];
  return FILES.includes(source) || (folder === name && FILES.includes(posix.join(source, "../index.ts")));
}

const LINE_LENGTH_MAX = 110;

function longLines(source: string): number[] {
  return source.split("\n").flatMap((line, at) => (line.length > LINE_LENGTH_MAX ? [at + 1] : []));
}

/** They hide who does something: a worker, a webhook, the sweeper, a provider, a customer, an operator. */
const VAGUE = /\b(?:somebody|someone|whoever|nobody|anybody|anyone|no one|everybody)\b/i;

/** Whole comments, so that words at the end of a line and at the beginning of the next are found as well. */
function vagueComments(source: string): string[] {
  const comments = source.match(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm) ?? [];
  return comments
    .map((each) => each.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim())
    .filter((each) => VAGUE.test(each));
}

const LINES_MAX = 60;
const MEDIAN_LINES_MAX = 80;

/**
 * Functions as the formatter leaves them: a body ends where a line stands as far left as the one that opened
 * it. Lists of cases do not count.
 */
function longFunctions(source: string): string[] {
  const lines = source.split("\n");
  const leftOf = (line: string) => line.search(/\S/);
  return lines.flatMap((line, at) => {
    if (
      !/(?:=>|\)(?:: .+)?) \{$/.test(line) ||
      /^\s*(?:\} )?(?:if|for|while|switch|catch|describe\w*)\b/.test(line)
    )
      return [];
    const rest = lines.slice(at + 1);
    const length = 2 + rest.findIndex((each) => each !== "" && leftOf(each) <= leftOf(line));
    return length > LINES_MAX ? [line.trim()] : [];
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

describe("the sources", () => {
  const sources = FILES.filter((path) => path.endsWith(".ts"));
  const stepsIn = (folder: string) =>
    sources
      .filter((path) => path.startsWith(folder) && !isTest(path))
      .map((path) => path.slice(folder.length));

  test("are all read", () => {
    expect(sources).toContain("core/window.ts");
    expect(sources).toContain("channels/twilio/index.ts");
    expect(sources).toContain("web/phone/timeline.ts");
    expect(sources).toContain("tools/aws-local/main.ts");
    expect(sources).toContain("bench/main.ts");
  });

  test("import nothing that imports them back, not even a type", () => {
    expect(
      cyclesIn(new Map(sources.filter((path) => !isTest(path)).map((path) => [path, targetsIn(path)]))),
    ).toEqual([]);
  });

  test("have no interface of more than twelve members but settings", () => {
    const found = sources
      .filter((path) => !isTest(path))
      .flatMap((path) => wideInterfaces(textOf(path)).map((name) => `${path} ${name}`));
    expect(found).toEqual([]);
  });

  test("have tests of the same name beside them, and those of several of them are in the list above", () => {
    const tests = sources.filter(isTest);
    expect(tests.filter((path) => !isNamedAfterSource(path)).sort()).toEqual(Object.keys(BEHAVIOURS).sort());
  });

  test("have no line over 110 characters, and neither have the tests beside them", () => {
    const root = new URL("../test/", SRC);
    const tests = pathsIn(root).map((path) => [`test/${path}`, new URL(path, root)] as const);
    const here = [...FILES, SELF].map((path) => [path, urlOf(path)] as const);
    const written = [...here, ...tests].filter(
      ([path]) => /\.(?:ts|css)$/.test(path) && !path.includes("/built/"),
    );
    expect(written.map(([path]) => path)).toEqual(
      expect.arrayContaining(["web/phone/phone.css", "test/docs.test.ts", "bench/one-visitor.ts"]),
    );
    const found = written.flatMap(([path, url]) =>
      longLines(readFileSync(url, "utf8")).map((line) => `${path}:${line}`),
    );
    expect(found).toEqual([]);
  });

  test("have comments that name their subject", () => {
    const found = FILES.filter((path) => /\.(?:ts|css)$/.test(path)).flatMap((path) =>
      vagueComments(textOf(path)).map((words) => `${path}: ${words}`),
    );
    expect(found).toEqual([]);
  });

  test("have no function of more than sixty lines", () => {
    const found = sources.flatMap((path) => longFunctions(textOf(path)).map((words) => `${path}: ${words}`));
    expect(found).toEqual([]);
  });

  test("have eighty lines or less, half of them", () => {
    const written = sources.filter((path) => !isTest(path) && !path.startsWith("http/page/built/"));
    expect(median(written.map((path) => textOf(path).split("\n").length))).toBeLessThanOrEqual(
      MEDIAN_LINES_MAX,
    );
  });

  test("have the same steps in every engine", () => {
    const steps = [
      ...["receive", "take", "turn", "commit", "release", "sweep"],
      ...["conversations", "repairs", "inspect"],
    ];
    const withSteps = new Set(sources.flatMap((path) => /^engines\/[^/]+\/steps\//.exec(path) ?? []));
    expect([...withSteps]).toEqual(["engines/aws/steps/", "engines/embedded/steps/"]);
    for (const folder of withSteps)
      for (const step of steps) expect(sources).toContain(`${folder}${step}.ts`);
    // A step of single requests may need more files than one of a transaction, but none of another name.
    const [aws, embedded] = [...withSteps].map((folder) => new Set(stepsIn(folder)));
    expect([...embedded!].filter((step) => !aws!.has(step))).toEqual([]);
  });

  test("import only what their part of the house may, and keep the house rules", () => {
    const found = sources.flatMap((path) => complaints(path, textOf(path)));
    expect(found).toEqual([]);
  });

  test("of the ports are types and nothing that runs", () => {
    const running = sources.filter(
      (path) => path.startsWith("ports/") && /^export (?!type\b|interface\b)/m.test(textOf(path)),
    );
    expect(running).toEqual([]);
  });

  test("are named in kebab-case, after a noun", () => {
    const odd = FILES.filter((path) =>
      path
        .split("/")
        .some(
          (part) =>
            !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?(\.[a-z]+)?$/.test(part) ||
            /^(utils?|helpers?|types|common|misc)\b/.test(part),
        ),
    );
    expect(odd).toEqual([]);
  });

  test("that may use a forbidden thing still exist", () => {
    const excused = HOUSE_RULES.flatMap(({ except = {} }) => Object.keys(except));
    expect(excused.filter((name) => !FILES.some((path) => path.startsWith(name)))).toEqual([]);
  });
});

describe("this test bites:", () => {
  test.each([
    ["core/window.ts", 'import { x } from "../runtime/worker.ts";', "may not import ../runtime/worker.ts"],
    ["core/window.ts", 'import { x } from "../ports/engine.ts";', "may not import ../ports/engine.ts"],
    ["core/window.ts", 'import { readFile } from "node:fs";', "may not import node:fs"],
    ["ports/engine.ts", 'import { due } from "../core/window.ts";', "may not import ../core/window.ts"],
    [
      "ports/engine.ts",
      'import type { X } from "../runtime/x.ts";',
      "may not import types from ../runtime/x.ts",
    ],
    ["runtime/worker.ts", 'import { sqlite } from "../engines/sqlite/index.ts";', "may not import"],
    ["runtime/worker.ts", 'import {\n  fakeClock,\n} from "../testing/fake-clock.ts";', "may not import"],
    ["runtime/worker.ts", 'import OpenAI from "openai";', "may not import openai"],
    [
      "runtime/worker.ts",
      'const it = await import("@aws-sdk/client-sqs");',
      "may not import @aws-sdk/client-sqs",
    ],
    ["channels/wati/send.ts", 'import { api } from "../twilio/api.ts";', "may not import ../twilio/api.ts"],
    ["channels/wati/send.ts", 'export * from "../twilio/api.ts";', "may not import ../twilio/api.ts"],
    ["channels/wati/send.ts", 'import { x } from "./session";', "may not import ./session"],
    [
      "engines/aws/index.ts",
      'import { steps } from "../embedded/steps.ts";',
      "may not import ../embedded/steps.ts",
    ],
    [
      "engines/sqlite/x.ts",
      'new Worker(new URL("../memory/x.ts", import.meta.url));',
      "may not import ../memory/x.ts",
    ],
    [
      "cli/run.ts",
      'import { aws } from "../engines/aws/index.ts";',
      "may not import ../engines/aws/index.ts",
    ],
    [
      "config/load.ts",
      'const { aws } = await import("../engines/aws/index.ts");',
      "may not import ../engines/aws/index.ts",
    ],
    [
      "config/responder.ts",
      'import { queue } from "../responders/queue/index.ts";',
      "may not import ../responders/queue/index.ts",
    ],
    [
      "config/load.ts",
      'import { sqlite } from "../engines/sqlite/index.ts";',
      "may not import ../engines/sqlite/index.ts",
    ],
    ["engines/aws/index.ts", 'import left from "left-pad";', "may not import left-pad"],
    [
      "cdk/tables.ts",
      'import { TABLES } from "../engines/aws/tables.ts";',
      "may not import ../engines/aws/tables.ts",
    ],
    ["http/edge.ts", 'import { run } from "../cli/run.ts";', "may not import ../cli/run.ts"],
    ["cli/run.ts", 'import { expect } from "vitest";', "may not import vitest"],
    ["errors.ts", 'import "./secrets/secrets.ts";', "may not import ./secrets/secrets.ts"],
    ["elsewhere/x.ts", "", "has no rule"],
    ["web/elsewhere/x.ts", "", "has no rule"],
    ["tools/elsewhere/x.ts", "", "has no rule"],
    ["tools/aws-local/x.ts", 'import { eventually } from "../../test/lull-process.ts";', "may not import"],
    ["bench/x.ts", 'import { sqlite } from "../src/engines/sqlite/index.ts";', "may not import"],
    ["http/edge.ts", 'import { measure } from "../../bench/measure.ts";', "may not import"],
    ["http/edge.ts", 'import { openGateway } from "../../tools/aws-local/gateway.ts";', "may not import"],
    ["web/phone/x.ts", 'import { feedOf } from "../../src/http/feed-view.ts";', "may not import"],
    ["web/phone/x.ts", 'import { FEED } from "../../src/http/feed-shape.ts";', "may not import"],
    ["web/phone/x.ts", 'import { x } from "../console/x.ts";', "may not import ../console/x.ts"],
    ["web/phone/x.ts", 'import { readFile } from "node:fs";', "may not import node:fs"],
    ["web/shared/x.ts", 'import { x } from "../phone/x.ts";', "may not import ../phone/x.ts"],
    ["web/shared/x.ts", 'import { build } from "esbuild";', "may not import esbuild"],
    ["web/phone/x.ts", "setTimeout(again, 500);", "asks the machine for the time"],
    ["http/page/page.ts", 'import { x } from "../../../web/phone/x.ts";', "may not import"],
    ["runtime/worker.ts", "const nowMs = Date.now();", "asks the machine for the time"],
    ["engines/sqlite/store.ts", "const clock = { nowMs: Date.now };", "asks the machine for the time"],
    ["cli/run.ts", "const today = new Date();", "asks the machine for the time"],
    ["cli/run.ts", "setInterval(tick, 1_000);", "asks the machine for the time"],
    ["testing/x.ts", "await new Promise((done) => setTimeout(done, 5));", "asks the machine for the time"],
    ["lambda/x.ts", 'log("warn", "x.failed", { reason: String(error) });', "logs an error's own words"],
    ["core/x.ts", "export default function x() {}", "has a default export"],
    ["core/x.ts", "function x(y: any): void {}", "uses any"],
    ["core/x.ts", "const x = y as any;", "uses any"],
    ["core/x.ts", "const x = new Set<any>();", "uses any"],
    ["core/x.test.ts", "// @ts-ignore: it is fine", "silences the compiler"],
  ])("%s with %j", (path, source, complaint) => {
    expect(complaints(path, source)).toEqual([expect.stringContaining(complaint)]);
  });

  test.each([
    ["function x(): void {", "}"],
    ["export async function x(\n  y: string,\n): Promise<void> {", "}"],
    ["  const x = async (y: string) => {", "  };"],
    ["    it.each([1])(`x %d`, () => {", "    });"],
    ["  async #x(y: string): Promise<Record<string, number>> {", "  }"],
  ])("a function that begins with %j and has 61 lines", (begin, end) => {
    const lines = (n: number) =>
      [begin, ...Array.from({ length: n - 2 }, () => "        go();"), end].join("\n");
    expect(longFunctions(lines(LINES_MAX + 1 + begin.split("\n").length - 1))).toHaveLength(1);
    expect(longFunctions(lines(LINES_MAX))).toEqual([]);
  });

  test("a line of 111 characters", () => {
    expect(longLines(`short\n${"x".repeat(LINE_LENGTH_MAX + 1)}\nshort`)).toEqual([2]);
    expect(longLines("x".repeat(LINE_LENGTH_MAX))).toEqual([]);
  });

  test.each([
    "// Nobody reads it.",
    "const x = 1; // for whoever asks",
    "/** Somebody's mistake. */",
    "/**\n * A worker, which no\n * one has seen.\n */",
  ])("a comment %j", (source) => {
    expect(vagueComments(source)).toHaveLength(1);
  });

  test.each([
    '"is anybody there?"',
    "// A worker reads it.",
    "const isSomebody = true;",
    'fetch("https://anyone.test")',
  ])("but no comment %j", (source) => {
    expect(vagueComments(source)).toEqual([]);
  });

  test.each([
    ["core/window.ts", 'import type { Draft } from "../model/draft.ts";'],
    ["core/window.ts", 'import { createHash } from "node:crypto";'],
    ["engines/sqlite/x.ts", 'import { steps } from "../embedded/steps.ts";'],
    ["channels/wati/wati.test.ts", 'import { fakeWati } from "../../testing/fake-wati.ts";'],
    ["channels/wati/wati.test.ts", 'import { test } from "vitest";'],
    ["config/responder.ts", 'const { queue } = await import("../responders/queue/index.ts");'],
    ["cli/engines.ts", 'const { aws } = await import("../engines/aws/index.ts");'],
    ["runtime/x.ts", "// Not Date.now(): the clock is handed in."],
    ["runtime/x.ts", "const when = new Date(atMs); // any time"],
    ["runtime/x.test.ts", "setTimeout(done, 5);"],
    ["web/phone/x.ts", 'import type { Feed } from "../../src/http/feed-shape.ts";'],
    ["web/phone/x.test.ts", 'import { fakeClock } from "../../src/testing/index.ts";'],
    ["web/build/x.ts", 'import { build } from "esbuild";'],
    ["tools/aws-local/x.ts", 'import { aws } from "../../src/engines/aws/index.ts";'],
    ["tools/aws-local/x.ts", 'import { startFauxqs } from "fauxqs";'],
    ["tools/aws-local/x.test.ts", 'import { eventually } from "../../test/lull-process.ts";'],
  ])("but not at %s with %j", (path, source) => {
    expect(complaints(path, source)).toEqual([]);
  });
});
