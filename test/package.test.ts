import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { phonePage } from "../src/http/page/page.ts";
import { anchorsOf, linksOf, pageFrom } from "./doc-pages.ts";
import { eventually, LullProcess } from "./lull-process.ts";
import { type PackedProject, packedProject } from "./packed-project.ts";
import { ROOT, run } from "./staged-package.ts";

/** What a user may import. A name that comes or goes here is a line in the changelog. */
const NAMES = {
  lull: [
    "ConfigError",
    "InvalidRequest",
    "LullError",
    "StoreUnavailable",
    "createLull",
    "defineConfig",
    "environmentSecrets",
    "statusOf",
  ],
  "lull/node": ["serve"],
  "lull/express": ["mount"],
  "lull/fastify": ["mount"],
  "lull/hono": ["mount"],
  "lull/next": ["mount", "perProcess"],
  "lull/sqlite": ["sqlite"],
  "lull/memory": ["memory"],
  "lull/aws": ["AWS_DEFAULTS", "TABLES", "aws", "createQueues", "createTables"],
  "lull/lambda": ["lambdaHandlers"],
  "lull/lambda/environment": ["api", "sweeper", "webhook", "worker"],
  "lull/secrets-manager": ["secretsManager"],
  "lull/cdk": ["Lull"],
  "lull/twilio": ["twilio"],
  "lull/wati": ["wati"],
  "lull/web": ["web"],
  "lull/openai": ["openai"],
  "lull/http": ["http"],
  "lull/queue": ["queue"],
  "lull/echo": ["echo"],
  "lull/testing": [
    "channelContract",
    "engineContract",
    "engineFixture",
    "explore",
    "fakeClock",
    "fakeItem",
    "fakeMessage",
    "fakeOpenai",
    "fakeToolCall",
    "fakeTwilio",
    "fakeWati",
    "planFrom",
    "shrink",
    "simulate",
    "testChannel",
    "testLull",
    "timeline",
  ],
};

const subpaths = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === "string" ? [] : [{ name: `lull${subpath.slice(1)}`, ...target }],
);

let made: PackedProject;
let project: string;
let packed: readonly string[];

beforeAll(async () => {
  made = await packedProject();
  ({ folder: project, packed } = made);
}, 60_000);

afterAll(() => made.remove());

/** A file `./root-answer.js` is not the folder `/root`. */
function names(text: string, path: string): boolean {
  const [, ...behind] = text.split(path.replace(/\/$/, ""));
  return behind.some((rest) => !/^[\w-]/.test(rest));
}

describe("the tarball", () => {
  test("holds what runs, what it promises and nothing else", () => {
    const expected = [
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md)$/,
      /^examples\/[\w/.[\]-]+\.(tsx?|json|md)$/,
      /^(deploy\/[\w.-]+|bin\/[\w.]+|docs\/[\w-]+\.md|docs\/pictures\/[\w-]+\.(?:svg|jpg))$/,
      /^dist\/[\w/-]+(\.d\.ts|\.js)$/,
    ];
    expect(packed.filter((path) => !expected.some((each) => each.test(path)))).toEqual([]);
    expect(packed).toEqual(
      expect.arrayContaining(["deploy/lull.service", "deploy/lull-as-service", "SECURITY.md"]),
    );
    const inside = packed.filter((path) => !path.startsWith("examples/"));
    expect(inside.filter((path) => /\.test\.|payloads|fake-(?:secrets|turn)/.test(path))).toEqual([]);
  });

  test("names no machine", async () => {
    const installed = join(project, "node_modules/lull");
    const paths = await readdir(installed, { recursive: true, withFileTypes: true });
    for (const entry of paths.filter((each) => each.isFile())) {
      const text = await readFile(join(entry.parentPath, entry.name), "utf8");
      const found = [ROOT, homedir(), dirname(project)].filter(
        (path) => path.length > 1 && names(text, path),
      );
      expect(found, entry.name).toEqual([]);
    }
  });

  test("has every place that its pages lead to", async () => {
    const installed = (path: string) => join(project, "node_modules/lull", path);
    const pages = packed.filter((path) => path.endsWith(".md"));
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/quick-start.md", "examples/README.md"]));
    for (const name of pages) {
      for (const { path, anchor } of linksOf(pageFrom(name, await readFile(installed(name), "utf8")))) {
        const target = path === "" ? name : join(dirname(name), path);
        // A folder is there where something is in it.
        const isFolder = anchor === undefined && packed.some((each) => each.startsWith(`${target}/`));
        if (!isFolder) expect(packed, `${name} leads to ${target}`).toContain(target);
        if (anchor === undefined) continue;
        const places = anchorsOf(await readFile(installed(target), "utf8"));
        expect(places, `${name} leads to ${target}#${anchor}`).toContain(anchor);
      }
    }
  });

  test("runs nothing where it is installed", () => {
    const ran = [
      "preinstall",
      "install",
      "postinstall",
      "prepublish",
      "preprepare",
      "prepare",
      "postprepare",
    ];
    expect(Object.keys(manifest.scripts).filter((name) => ran.includes(name))).toEqual([]);
    expect(manifest.scripts.prepack).toBe("npm run build");
  });

  test("is not published before package.json says where Lull lives", async () => {
    const home = ["repository", "homepage", "bugs"].filter((field) => !(field in manifest));
    expect(manifest.scripts.prepublishOnly).toBe("node tools/build/publishable.ts");
    const published = run("node", ["tools/build/publishable.ts"], ROOT);
    if (home.length === 0) expect(await published).toBe("");
    else await expect(published).rejects.toThrow(`package.json has no ${home.join(", ")}:`);
    expect(manifest.keywords.length).toBeGreaterThan(5);
  });

  test("installs nothing else", async () => {
    expect((await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
      "lull",
    ]);
    expect(manifest).not.toHaveProperty("dependencies");
  });

  test("has what package.json points at, types first", async () => {
    for (const { types, default: main } of subpaths) {
      expect(packed).toContain(types.slice(2));
      expect(packed).toContain(main.slice(2));
      expect(types).toBe(main.replace(/\.js$/, ".d.ts"));
    }
    for (const target of Object.values(manifest.exports)) {
      if (typeof target !== "string") expect(Object.keys(target)).toEqual(["types", "default"]);
    }
    const { mode } = await stat(join(project, "node_modules/lull", manifest.bin.lull));
    expect(mode & 0o111).toBe(0o111);
  });
});

describe("without the packages of AWS", () => {
  const refusal = async (env: Record<string, string>) => {
    const main = join(project, "node_modules/lull", manifest.bin.lull);
    const lull = new LullProcess(["start"], { cwd: project, env: { LULL_WEB: "1", ...env }, main });
    return { ...(await lull.gone()), said: lull.stderr };
  };
  const INSTALL =
    "packages are missing. Run: " +
    "npm install @aws-sdk/client-dynamodb @aws-sdk/client-sqs @aws-sdk/util-dynamodb\n";

  test("the engine aws says in one line what to install, chosen by a word or made in a file", async () => {
    const byWord = await refusal({ LULL_ENGINE: "aws" });
    expect(byWord).toEqual({ code: 2, signal: null, said: `lull: engine aws: ${INSTALL}` });
    const file = join(project, "lull.config.mjs");
    await writeFile(file, 'import { aws } from "lull/aws";\nexport default { engine: aws() };\n');
    const byFile = await refusal({});
    await rm(file);
    expect(byFile).toEqual({
      code: 2,
      signal: null,
      said: `lull: lull.config.mjs could not be loaded: ${INSTALL}`,
    });
  });
});

describe("in a user's project", () => {
  // Optional peers, as users of their subpaths have installed them.
  beforeAll(async () => {
    await made.add("@aws-sdk", "@aws-lambda-powertools", "aws-cdk-lib", "constructs");
  });

  test("every subpath can be imported and brings the names that it promises", async () => {
    const script = `
      const names = {};
      for (const name of ${JSON.stringify(subpaths.map(({ name }) => name))}) 
        names[name] = Object.keys(await import(name)).sort();
      console.log(JSON.stringify(names));
    `;
    await writeFile(join(project, "names.mjs"), script);
    expect(JSON.parse(await run("node", ["names.mjs"], project))).toEqual(NAMES);
  });

  const names = subpaths.map(({ name }) => name);
  test.each([
    ["every subpath but lull/cdk", names.filter((name) => name !== "lull/cdk"), true],
    // CDK's own declarations do not pass with exactOptionalPropertyTypes.
    ["lull/cdk", ["lull/cdk"], false],
  ])("the types of %s are whole", async (_which, among, exactOptionalPropertyTypes) => {
    const lines = among.map((name, n) => `import * as m${n} from "${name}";\nvoid m${n};`);
    await writeFile(join(project, "types.ts"), lines.join("\n"));
    const compilerOptions = {
      target: "es2023",
      module: "nodenext",
      moduleResolution: "nodenext",
      strict: true,
      exactOptionalPropertyTypes,
      skipLibCheck: false,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
    expect(await run("tsc", ["-p", "tsconfig.json"], project)).toBe("");
  });

  test("npx lull knows its version", async () => {
    expect(await run("npx", ["--offline", "--no-install", "lull", "--version"], project)).toBe(
      `${manifest.version}\n`,
    );
  });

  test("lull dev answers", async () => {
    const lull = new LullProcess(["dev"], {
      cwd: project,
      env: { PORT: "0", LULL_WINDOW_SECONDS: "0" },
      main: join(project, "node_modules/lull", manifest.bin.lull),
    });
    try {
      const url = await lull.url();
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ id: "1", sender: "visitor-one", text: "hello" });
      expect((await fetch(`${url}/webhooks/web`, { method: "POST", body, headers })).status).toBe(200);
      const said = await eventually("the answer", async () => {
        const feed = await (await fetch(`${url}/webhooks/web/feed?sender=visitor-one`)).text();
        return feed.includes("You said: hello") ? feed : undefined;
      });
      expect(said).toContain("hello");
      const page = phonePage("web", { isUnsigned: true, showsReasons: true });
      expect(await (await fetch(url)).text()).toBe(page.body);
    } finally {
      lull.kill("SIGKILL");
      await lull.gone();
    }
  });
});

test("the lock file names the optional packages of every platform: `npm ci` needs them", async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const optional = Object.values(packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
  // npm install leaves out those that its registry does not have: write them in by hand, as the ones that are
  // there.
  const named = Object.keys(packages);
  expect(optional.filter((name) => !named.some((path) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
});
