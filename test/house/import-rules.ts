/** What a part of the house may import. Its names are folders under `src`, or files directly under it. */
export interface Rule {
  readonly imports: readonly string[];
  /** Where types may come from, and nothing that runs. */
  readonly types?: readonly string[];
  /** Optional subpaths that may be loaded on demand (`import()`), and not before. */
  readonly onDemand?: readonly string[];
  /** Modules of Node; every one where left out. */
  readonly builtins?: readonly string[];
}

export const BASE = ["model", "schema", "core", "ports", "wire", "process", "errors.ts", "secrets"];
const LEAF: Rule = { imports: [...BASE, "own folder"] };
/**
 * The memory and the SQLite engine are two table stores under one set of steps; the steps are in
 * `engines/embedded`.
 */
const TABLE_STORE: Rule = { imports: [...LEAF.imports, "engines/embedded"] };
export const LEAVES = ["engines", "channels", "responders"];
/**
 * Subpaths whose packages are optional peers. If anything else imported them, every user would have to
 * install those packages.
 */
export const OPTIONAL = ["responders/queue", "engines/aws", "lambda", "cdk", "secrets/manager"];

export const RULES: Readonly<Record<string, Rule>> = {
  /** The nouns: no part of the house is below them. */
  model: { imports: ["model"], builtins: [] },
  /** The schema language: what a value has to be, and what is wrong with it. */
  schema: { imports: ["model", "schema"], builtins: [] },
  core: { imports: ["model", "schema", "core"], builtins: ["node:crypto"] },
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
  /** What the seeds' systems left, and what becomes of it: callers bring the store and the channels. */
  migrate: { imports: [...BASE, "migrate"] },
  cli: {
    imports: [...BASE, "runtime", ...LEAVES, "http", "index.ts", "config", "migrate", "cli"],
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
  // It names what runs by its path: a deployment loads nothing of it, except what is said of its settings.
  cdk: { imports: ["cdk", "config/resolve-settings.ts", "schema"] },
  "errors.ts": { imports: [], builtins: [] },
  process: { imports: ["errors.ts"], types: ["model"] },
  secrets: { imports: ["errors.ts", "secrets"], types: ["ports"] },
  /** What talking to providers needs. */
  wire: { imports: ["model", "schema", "core", "errors.ts", "wire"], types: ["ports"] },
  "index.ts": { imports: [...BASE, "runtime", "http", "config/define-config.ts"] },
  // A page runs in a browser: nothing of the service, nothing of Node, and no page leans on another.
  "web/phone": { imports: ["web/phone", "web/shared"], types: ["src/http/feed-shape.ts"], builtins: [] },
  "web/shared": { imports: ["web/shared"], builtins: [] },
  "web/build": { imports: ["web/build"] },
  "tools/build": { imports: ["tools/build", "package.json"] },
  // Run from a checkout, by people: it stands on the sources, and no test is below it.
  "tools/aws-local": { imports: ["tools/aws-local", "src"] },
  // Run from a checkout, too: it measures the built program from outside, and draws as the docs do.
  bench: { imports: ["bench", "src/testing", "test", "package.json"], types: ["src"] },
};

/**
 * A test may also stand on what is made for tests (`testing`, and `test` beside `src`), on any engine, and on
 * what drives them.
 */
export const FOR_TESTS = ["testing", "wire", "engines", "runtime", "index.ts", "outside", "src", "test"];
