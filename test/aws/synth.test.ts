import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueues, createTables } from "../../src/engines/aws/index.ts";
import { ROOT, run, stagePackage } from "../staged-package.ts";
import { BUNDLE_BYTES_MAX } from "./bundle.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

/** The package as a user has it, and everything made of it. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-synth-"));
  await stagePackage(folder, "package-lock.json");
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The one bundle in a folder of assets: all functions, one file. */
async function bundleIn(assembly: string): Promise<string> {
  const assets = (await readdir(assembly)).filter((name) => name.startsWith("asset."));
  expect(assets).toHaveLength(1);
  return join(assembly, assets[0]!, "index.mjs");
}

/** Runs lines of a module in a process of its own, and gives what it prints. */
async function runModule(...lines: readonly string[]): Promise<string> {
  const file = join(folder, "module.mjs");
  await writeFile(file, lines.join("\n"));
  return run("node", [file], folder);
}

test("examples/aws becomes a faultless template with no network, no credentials and no docker", async () => {
  const assembly = join(folder, "assembly");
  // Nothing listens on port 9: a request to another host is refused.
  const offline = ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => `${name}=http://127.0.0.1:9`);
  const synth = ["cdk", "synth", "--quiet", "--no-notices", "--output", assembly];
  await run("env", [...offline, ...synth], join(folder, "examples/aws"));

  const template = JSON.parse(await readFile(join(assembly, "Chat.template.json"), "utf8"));
  const types = Object.values(template.Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
  expect(types.filter((type) => type === "AWS::Lambda::Function")).toHaveLength(4);
  expect(Object.keys(template.Outputs)).toEqual(["WebhookUrl"]);
  const report = JSON.parse(await readFile(join(assembly, "validation-report.json"), "utf8"));
  expect(report.pluginReports).toEqual([]);

  const bundle = await bundleIn(assembly);
  expect((await stat(bundle)).size).toBeLessThan(BUNDLE_BYTES_MAX);
  const names = await runModule(`console.log(Object.keys(await import("${bundle}")).sort().join());`);
  expect(names).toBe("api,sweeper,webhook,worker\n");
});

test.each([
  ["whatsapp", "openai"],
  ["wati", "http"],
  ["web", "function"],
])(
  "what `lull init` writes for AWS with %s and %s becomes a template and a bundle",
  async (channel, responder) => {
    const project = join(folder, `init-${channel}`);
    const flags = ["--channel", channel, "--responder", responder, "--engine", "aws"];
    // The rest is found above it.
    await mkdir(join(project, "node_modules"), { recursive: true });
    await symlink(folder, join(project, "node_modules/lull"));
    await run("node", [join(folder, "bin/lull.js"), "init", project, ...flags], folder);
    const assembly = join(project, "assembly");
    await writeFile(join(project, "package-lock.json"), "{}");
    await run("cdk", ["synth", "--quiet", "--no-notices", "--output", assembly], project);
    const bundle = await bundleIn(assembly);
    const names = await runModule(`console.log(Object.keys(await import("${bundle}")).sort().join());`);
    expect(names).toBe("api,sweeper,webhook,worker\n");
  },
);

describeOnEmulators("Lull's own functions, bundled as they are deployed,", (emulators) => {
  let bundle: string;
  beforeAll(async () => {
    const outdir = join(folder, "own");
    await runModule(
      'import { App, Stack } from "aws-cdk-lib";',
      'import { Lull } from "lull/cdk";',
      `const app = new App({ outdir: "${outdir}" });`,
      'const env = { account: "111122223333", region: "eu-west-1" };',
      'new Lull(new Stack(app, "Chat", { env }), "Lull");',
      "app.synth();",
    );
    bundle = await bundleIn(outdir);
  });

  test("are small, and bring nothing of an engine that is not theirs", async () => {
    expect((await stat(bundle)).size).toBeLessThan(BUNDLE_BYTES_MAX);
    expect(await readFile(bundle, "utf8")).not.toContain("node:sqlite");
  });

  test("take a message in, told by variables alone where everything is", async () => {
    const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
    await createTables({ clients });
    const queues = await createQueues({ clients });
    const env = {
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_ENDPOINT_URL_DYNAMODB: emulators.endpoint.dynamodb,
      AWS_ENDPOINT_URL_SQS: emulators.endpoint.sqs,
      LULL_ENGINE: "aws",
      LULL_QUEUE_DEFAULT: queues.default,
      LULL_WEB: "1",
      LULL_WEB_UNSIGNED: "1",
      LULL_WINDOW_SECONDS: "0",
      POWERTOOLS_DEV: "true",
    };
    const event = {
      version: "2.0",
      rawPath: "/webhooks/web",
      headers: { host: "bot.example.com", "content-type": "application/json" },
      requestContext: { http: { method: "POST", path: "/webhooks/web", sourceIp: "192.0.2.1" } },
      body: JSON.stringify({ id: "1", sender: "visitor-one", text: "hello" }),
      isBase64Encoded: false,
    };
    const answer = await runModule(
      `Object.assign(process.env, ${JSON.stringify(env)});`,
      // Log lines and metrics go to stdout on Lambda; here it is for the answer.
      "for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};",
      `const { webhook } = await import("${bundle}");`,
      "const context = { awsRequestId: '1', functionName: 'webhook', " +
        "getRemainingTimeInMillis: () => 10_000 };",
      `process.stdout.write(JSON.stringify(await webhook(${JSON.stringify(event)}, context)));`,
    );
    expect(JSON.parse(answer)).toMatchObject({ statusCode: 200 });
    const receive = new ReceiveMessageCommand({ QueueUrl: queues.default, WaitTimeSeconds: 5 });
    const { Messages = [] } = await clients.sqs.send(receive);
    expect(Messages.map(({ Body }) => JSON.parse(Body ?? ""))).toMatchObject([{ channel: "web" }]);
  });
});
