import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { QUESTIONS } from "../src/cli/init/choices.ts";
import { askOn } from "../src/cli/io.ts";
import { run as lull } from "../src/cli/run.ts";
import { eventually, LullProcess } from "./lull-process.ts";
import { ROOT, run, stagePackage } from "./staged-package.ts";
import { typed } from "./typed-command.ts";

const words = <T extends object>(answers: T) => Object.keys(answers);
const ALL = words(QUESTIONS.channel.answers).flatMap((channel) =>
  words(QUESTIONS.responder.answers).flatMap((responder) =>
    words(QUESTIONS.engine.answers).map((engine) => ({ channel, responder, engine })),
  ),
);
type Combination = (typeof ALL)[number];
const nameOf = ({ channel, responder, engine }: Combination) => `${channel}-${responder}-${engine}`;
const flagsOf = ({ channel, responder, engine }: Combination) => [
  ...["--channel", channel, "--responder", responder, "--engine", engine],
];

let folder: string;

/** One installation for all: the packed package, and of AWS what is in this repository. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-init-"));
  const staged = join(folder, "staged");
  await stagePackage(staged);
  const packed = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    staged,
  );
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", join(folder, filename)], folder);
  await mkdir(join(folder, "node_modules/@types"));
  for (const name of [
    "@aws-sdk",
    "@aws-lambda-powertools",
    "aws-cdk-lib",
    "constructs",
    "@types/node",
    "undici-types",
  ])
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const MAIN = () => join(folder, "node_modules/lull", manifest.bin.lull);

/** An empty folder in which lull is installed. */
async function project(name: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const made = join(folder, name);
  await mkdir(made, { recursive: true });
  await symlink(join(folder, "node_modules"), join(made, "node_modules"));
  for (const [path, text] of Object.entries(files)) await writeFile(join(made, path), text);
  return made;
}

const textOf = (made: string, path: string) => readFile(join(made, path), "utf8");
const isThere = (made: string, path: string) =>
  access(join(made, path)).then(
    () => true,
    () => false,
  );

describe("every combination, in an empty folder", () => {
  const said = new Map<string, string>();
  beforeAll(async () => {
    for (const each of ALL) {
      const cwd = await project(nameOf(each));
      const { code, out } = await typed(["init", ...flagsOf(each)], { cwd });
      expect(code, out).toBe(0);
      said.set(nameOf(each), out);
    }
  }, 120_000);

  test("names no person, no machine and nothing that is left over", async () => {
    for (const each of ALL) {
      const text = await textOf(join(folder, nameOf(each)), "lull.config.ts");
      expect(text, nameOf(each)).not.toMatch(/undefined|\bnull\b|TODO/);
    }
  });

  test("the types check", async () => {
    const compilerOptions = {
      ...(
        JSON.parse(await textOf(join(folder, nameOf(ALL[0]!)), "tsconfig.json")) as {
          compilerOptions: object;
        }
      ).compilerOptions,
      incremental: false,
    };
    const include = ALL.flatMap((each) => [`${nameOf(each)}/*.ts`, `${nameOf(each)}/aws/*.ts`]);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
    expect(await run("tsc", ["-p", "tsconfig.json"], folder)).toBe("");
  });

  test("the test passes at once", async () => {
    const files = ALL.map((each) => `${nameOf(each)}/lull.test.ts`);
    const report = await run("node", ["--test", "--test-reporter=tap", ...files], folder);
    expect(report).toContain(`# pass ${ALL.length}\n`);
    expect(report).toContain("# fail 0\n");
  });

  test.each(ALL.map((each) => [nameOf(each), each] as const))("%s is accepted", async (name, each) => {
    const cwd = join(folder, name);
    const config = JSON.parse(await run("node", [MAIN(), "config", "--json"], cwd)) as {
      responder: { kind: string };
      values: Record<string, { value: unknown }>;
    };
    expect(config.values.engine?.value).toBe(each.engine);
    expect(config.responder.kind).toBe("code");
    if (each.engine === "sqlite") {
      expect(said.get(name)).toContain("ok    configuration: ");
      expect(said.get(name)).not.toContain("FAIL");
    } else expect(await textOf(cwd, "aws/handlers.ts")).toContain("lambdaHandlers");
  });

  test.each(["whatsapp", "sms", "wati", "web"])("what .env.example asks for turns %s on", async (channel) => {
    const cwd = join(folder, nameOf({ channel, responder: "openai", engine: "sqlite" }));
    const example = await textOf(cwd, ".env.example");
    const filled = example
      .replaceAll(/^(\w+_(?:SECRET|TOKEN|KEY))=$/gm, "$1=long-enough-for-a-secret")
      .replaceAll(/^(\w+_FROM)=$/gm, "$1=+15550100")
      .replaceAll(/^(\w+_URL)=$/gm, "$1=https://bot.example.com")
      .replace(/^TWILIO_ACCOUNT_SID=$/m, "TWILIO_ACCOUNT_SID=AC00000000000000000000000000000001");
    await writeFile(join(cwd, ".env"), filled);
    const findings = JSON.parse(await run("node", [MAIN(), "doctor", "--offline", "--json"], cwd)) as {
      ok: boolean;
      findings: { detail: string }[];
    };
    expect(findings.ok).toBe(true);
    const details = findings.findings.map(({ detail }) => detail).join("\n");
    // Visitors of a page have no provider at which a URL is entered.
    const shown = channel === "web" ? "with its token" : `https://bot.example.com/webhooks/${channel}`;
    expect(details).toContain(shown);
  });
});

test("the echo answers in the page, with the commands that init names", async () => {
  const cwd = await project("walked");
  await run("node", [MAIN(), "init", "--yes"], cwd);
  expect(await run("npm", ["test"], cwd)).toMatch(/pass 1\b/);
  const service = new LullProcess(["dev", "--quiet", "0.1"], { cwd, env: { PORT: "0" }, main: MAIN() });
  try {
    const url = await service.url();
    const body = JSON.stringify({ id: "1", sender: "visitor-one", text: "hello" });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${url}/webhooks/web`, { method: "POST", body, headers })).status).toBe(200);
    await eventually("the answer", async () => {
      const feed = await (await fetch(`${url}/webhooks/web/feed?sender=visitor-one`)).text();
      return feed.includes("You said: hello") ? feed : undefined;
    });
  } finally {
    service.kill("SIGKILL");
    await service.gone();
  }
});

describe("what runs it there", () => {
  const deployed = async (deploy: string) => {
    const cwd = await project(`by-${deploy}`);
    await typed(["init", "--yes", "--deploy", deploy], { cwd });
    return cwd;
  };

  test("compose.yaml, and an image that holds neither secrets nor data", async () => {
    const cwd = await deployed("compose");
    const compose = await textOf(cwd, "compose.yaml");
    expect(compose).not.toContain("\t");
    for (const part of ['"127.0.0.1:8080:8080"', "LULL_DB: /data/lull.db", "env_file: .env"])
      expect(compose).toContain(part);
    expect((await textOf(cwd, ".dockerignore")).split("\n")).toEqual(
      expect.arrayContaining([".env", "data"]),
    );
  });

  test("a unit for systemd is the one of the package, in the project's folder", async () => {
    const cwd = await deployed("systemd");
    const unit = await textOf(cwd, "lull.service");
    expect(unit).not.toContain("/etc/lull");
    const start = /^ExecStart=(.*)$/m.exec(unit)?.[1];
    expect(start).toMatch(/^\/usr\/bin\/env PATH=\/opt\/by-systemd\/node_modules\/\.bin:\/usr\/local\/bin:/);
    expect(start).toMatch(/ node \/opt\/by-systemd\/node_modules\/lull\/bin\/lull\.js start$/);
    expect(unit).toContain("EnvironmentFile=-/opt/by-systemd/.env");
    expect(unit).toContain("[Install]");
  });
});

describe("what is there", () => {
  test("is never replaced unasked: nothing is written, unless --force says so", async () => {
    const cwd = await project("mine", { "lull.config.ts": "// mine\n" });
    const refused = await typed(["init", "--yes"], { cwd });
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("lull.config.ts: there already"),
    ]);
    expect([await textOf(cwd, "lull.config.ts"), await isThere(cwd, "lull.test.ts")]).toEqual([
      "// mine\n",
      false,
    ]);
    expect((await typed(["init", "--yes", "--force"], { cwd })).code).toBe(0);
    expect(await textOf(cwd, "lull.config.ts")).toContain("defineConfig");
  });

  test("is kept or written anew as the person says, file by file", async () => {
    const cwd = await project("asked", { "lull.config.ts": "// mine\n", "lull.test.ts": "// mine\n" });
    const { code, asked } = await onTerminal(["init"], cwd, ["2", "function", "", "", "n", "y"]);
    expect(code).toBe(0);
    expect(asked.slice(-2)).toEqual([
      "lull.config.ts is there already. Write it anew? (y/N) ",
      "lull.test.ts is there already. Write it anew? (y/N) ",
    ]);
    expect(await textOf(cwd, "lull.config.ts")).toBe("// mine\n");
    expect(await textOf(cwd, "lull.test.ts")).toContain("respond");
    expect(await textOf(cwd, ".env.example")).toContain("TWILIO_WHATSAPP_FROM=");
  });

  test("package.json and .gitignore are added to; what they say counts", async () => {
    const own = {
      name: "shop",
      type: "module",
      scripts: { test: "mocha" },
      devDependencies: { vitest: "5.1.0" },
    };
    const cwd = await project("shop", { "package.json": JSON.stringify(own), ".gitignore": "/data\ndist" });
    const { out } = await typed(["init", "--yes"], { cwd });
    // What tsconfig.json names, which is new there, has to be installed.
    const types = { "@types/node": expect.any(String), typescript: expect.any(String) };
    expect(JSON.parse(await textOf(cwd, "package.json"))).toEqual({
      ...own,
      devDependencies: { ...own.devDependencies, ...types },
    });
    expect(out).toMatch(/npm install +# the types/);
    expect(await textOf(cwd, ".gitignore")).toBe("/data\ndist\nnode_modules/\n.env\n");
    expect(await textOf(cwd, "lull.test.ts")).toContain('import { expect, test } from "vitest";');
    expect(out).toContain("npx vitest run lull.test.ts");
  });

  test.each([
    ["another configuration", { "lull.config.json": "{}" }, "lull.config.json is there"],
    ["a package of CommonJS", { "package.json": '{ "type": "commonjs" }' }, "npm pkg set type=module"],
    ["the folder of Lull", { "package.json": '{ "name": "lull" }' }, "name one: lull init ../my-bot"],
    ["a package.json that is none", { "package.json": "{" }, "package.json of"],
  ])("%s is refused before anything is asked or written", async (name, files, words) => {
    const cwd = await project(name.replaceAll(" ", "-"), files);
    const { code, err } = await onTerminal(["init"], cwd, []);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(await isThere(cwd, ".env.example")).toBe(false);
  });
});

describe("a folder without lull", () => {
  const manifestOf = async (made: string) =>
    JSON.parse(await textOf(made, "package.json")) as {
      name: string;
      dependencies?: Record<string, string>;
      devDependencies: Record<string, string>;
    };

  test("gets the packed file, of its own, and is told to install first", async () => {
    const out = await run("node", [MAIN(), "init", "new/blue-door", "--yes"], folder);
    const made = join(folder, "new/blue-door");
    const { name, dependencies } = await manifestOf(made);
    const file = `lull-${manifest.version}.tgz`;
    expect([name, dependencies]).toEqual(["blue-door", { lull: `file:${file}` }]);
    expect(await readFile(join(made, file))).toEqual(await readFile(join(folder, file)));
    expect(out).toMatch(/cd new\/blue-door\n\s+npm install\s/);
  });

  test("made by a clone, is told to pack it: nothing leads out of the folder", async () => {
    const { out } = await typed(["init", "new/of-a-clone", "--yes"], { cwd: folder });
    expect((await manifestOf(join(folder, "new/of-a-clone"))).dependencies).toBeUndefined();
    const steps = out.slice(out.indexOf("Next:"));
    expect(steps).toMatch(/npm pack \S+ .*\n {2}npm install \.\/lull-\S+\.tgz /);
  });

  test("gets no version that Lull does not go with", async () => {
    await run("node", [MAIN(), "init", "new/on-aws", "--yes", "--engine", "aws"], folder);
    const { dependencies, devDependencies } = await manifestOf(join(folder, "new/on-aws"));
    const { lull, ...others } = dependencies ?? {};
    const { esbuild, ...peers } = manifest.peerDependencies;
    expect(others).toEqual(peers);
    const own = (name: "aws-cdk" | "@types/node" | "typescript") => `^${manifest.devDependencies[name]}`;
    expect(devDependencies).toEqual({
      esbuild,
      "aws-cdk": own("aws-cdk"),
      "@types/node": own("@types/node"),
      typescript: own("typescript"),
    });
  });
});

test("with an answering service of their own, they are told to start it before Lull", async () => {
  const cwd = await project("by-http");
  const { out } = await typed(["init", "--yes", "--responder", "http"], { cwd });
  expect(out).toMatch(/start your service +# the one that service.ts names: it answers\n {2}npx lull dev/);
});

test.each([
  ["web", false],
  ["sms", true],
] as const)(
  "a URL to enter at a provider is spoken of where there is one: %s",
  async (channel, isSpokenOf) => {
    const cwd = await project(`provider-of-${channel}`);
    const { out } = await typed(["init", "--yes", "--channel", channel], { cwd });
    expect(out.includes("enter at your provider")).toBe(isSpokenOf);
  },
);

test("where nobody can be asked, it says which flags there are", async () => {
  const { code, err } = await typed(["init", "--channel", "web"], { cwd: folder });
  expect(code).toBe(2);
  expect(err).toContain("--responder echo|openai|function|http, --engine sqlite|aws; or --yes");
  for (const [flags, words] of [
    [["--channel", "whatsap"], "Did you mean whatsapp?"],
    [["--engine", "aws", "--deploy", "compose"], "on AWS the CDK app deploys"],
  ] as const)
    expect((await typed(["init", "--yes", ...flags], { cwd: folder })).err).toContain(words);
});

test("a second folder is refused", async () => {
  const { code, err } = await typed(["init", "one", "two", "--yes"], { cwd: folder });
  expect([code, err]).toEqual([2, expect.stringContaining('init does not know what to do with "two"')]);
  expect(await isThere(folder, "one")).toBe(false);
});

test.each([
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])("%s at a question ends it with 130, and nothing is written", async (name, key) => {
  const cwd = await project(name);
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
  const pressed = async (question: string) => {
    const answer = askOn(input, output, question);
    input.write(key);
    return answer;
  };
  const { code, err } = await onTerminal(["init"], cwd, [], pressed);
  expect([code, err]).toEqual([130, expect.stringContaining("stopped; nothing was written")]);
  expect(await isThere(cwd, "package.json")).toBe(false);
});

/** A person at a terminal, who answers in this order. */
async function onTerminal(
  args: readonly string[],
  cwd: string,
  answers: readonly string[],
  ask?: (question: string) => Promise<string>,
) {
  const [out, err, asked]: [string[], string[], string[]] = [[], [], []];
  const left = [...answers];
  const code = await lull(args, {
    env: {},
    cwd,
    stderrIsTty: true,
    nowMs: () => 0,
    ask:
      ask ??
      (async (question) => {
        asked.push(question);
        return left.shift() ?? expect.fail(`more is asked than answered: ${question}`);
      }),
    out: (line) => void out.push(line),
    err: (text) => void err.push(text),
    logLine: (line) => void err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join(""), asked };
}
