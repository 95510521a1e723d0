import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUNDLE_BYTES_MAX, type Bundle, bundleFunctions } from "./bundle.ts";

// 361,000 with projects and what they may do, credentials and assistants by record, what another system does
// with the same rows, numbers of theirs with all digits, tables that are moved in from, tenants that keep
// nothing from each other, the events that metrics are counted from, what customers and models are told of
// messages that got no answer, what is kept of a person (shown, and erased by their own address), the proof
// by which the doctor knows its service, and the checks of responders.
const ZIPPED_BYTES_MAX = 363_500;

interface Said {
  readonly last: string;
  readonly all: string;
}

describe("the functions in one file", () => {
  let folder: string;
  let bundle: Bundle;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lull-bundle-"));
    bundle = await bundleFunctions(join(folder, "index.mjs"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** In a fresh process that has nothing but what Lambda would give it. */
  async function evaluated(script: string, env: Record<string, string> = {}): Promise<Said> {
    const code = `const functions = await import(${JSON.stringify(bundle.file)}); ${script}`;
    const args = ["--input-type=module", "--eval", code];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    return { last: stdout.trim().split("\n").at(-1)!, all: stdout + stderr };
  }

  it("are small", () => {
    expect(bundle.bytes).toBeLessThan(BUNDLE_BYTES_MAX);
    expect(bundle.zippedBytes).toBeLessThan(ZIPPED_BYTES_MAX);
  });

  it("hold no other engine, no command line and nothing that deploys", () => {
    expect([...bundle.builtins]).not.toContain("node:sqlite");
    const unwanted =
      /^src\/(engines\/(sqlite|memory|embedded)|cli|cdk|testing)\/|node_modules\/(aws-cdk-lib|esbuild)\//;
    expect(bundle.sources.filter((source) => unwanted.test(source))).toEqual([]);
  });

  it("are four handlers, and loading them opens, asks and loads nothing", async () => {
    const names =
      "console.log(Object.keys(functions).sort().join(), process.env.AWS_XRAY_CONTEXT_MISSING ?? '-')";
    // The X-Ray SDK leaves its mark in the environment as soon as it is loaded.
    expect((await evaluated(names)).last).toBe("api,sweeper,webhook,worker -");
  });

  const EVENT = JSON.stringify({ httpMethod: "GET", path: "/healthz" });
  const CONTEXT = "{ getRemainingTimeInMillis: () => 1000 }";
  const HEALTH = `const { statusCode, body } = await functions.webhook(${EVENT}, ${CONTEXT});`;

  it("say what is missing instead of failing when they are loaded", async () => {
    const { last, all } = await evaluated(`${HEALTH} console.log(statusCode + " " + body)`);
    expect(last).toMatch(/^503 /);
    expect(all).toContain("no channel is configured");
    expect(all).toContain('"WebhooksFailed":1');
  });

  const TRACED = {
    LULL_WEB: "1",
    LULL_QUEUE_DEFAULT: "https://sqs.eu-west-1.amazonaws.com/000000000000/lull",
    AWS_REGION: "eu-west-1",
    // As in a function: the SDK then takes its segment from the request's header.
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    LAMBDA_TASK_ROOT: "/var/task",
    _X_AMZN_TRACE_ID: "Root=1-67890abc-0123456789abcdef01234567;Parent=0123456789abcdef;Sampled=1",
  };

  it("work without a daemon of X-Ray when a request is traced", async () => {
    const env = { ...TRACED, AWS_XRAY_DAEMON_ADDRESS: "127.0.0.1:9" };
    const call = `${HEALTH} console.log(statusCode, process.env.AWS_XRAY_CONTEXT_MISSING)`;
    expect((await evaluated(call, env)).last).toBe("200 IGNORE_ERROR");
  });

  it("tell the daemon of X-Ray what became of a request that is traced", async () => {
    const daemon = createSocket("udp4");
    daemon.bind(0, "127.0.0.1");
    await once(daemon, "listening");
    const heard = once(daemon, "message") as Promise<[Buffer]>;
    const env = { ...TRACED, AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}` };
    expect((await evaluated(`${HEALTH} console.log(statusCode)`, env)).last).toBe("200");
    const [packet] = await heard;
    daemon.close();
    const segment = JSON.parse(packet.toString().split("\n")[1]!);
    expect(segment).toMatchObject({ name: "## webhook", trace_id: "1-67890abc-0123456789abcdef01234567" });
  });
});
