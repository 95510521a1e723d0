import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createQueues, createTables, TABLES } from "../../src/engines/aws/index.ts";
import { signedWebhook } from "../../src/testing/fake-twilio-webhook.ts";
import { startEmulators } from "../../tools/aws-local/emulators.ts";
import { bundleFunctions } from "./bundle.ts";
import { get, post, signedUrl } from "./function-fixture.ts";

/**
 * What a cold start costs: `node test/aws/cold-start.ts [runs]`. Every run is a fresh process that loads the
 * bundle and handles two events. Time on the clock depends on what else the machine does; time on the CPU
 * hardly.
 */
const RUNS = Number(process.argv[2] ?? 15);
const PATH = "/webhooks/whatsapp";
const ACCOUNT = "AC00000000000000000000000000000001";

interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface Run {
  readonly load: Times;
  readonly first: Times;
  readonly second: Times;
}

/** What runs in the process: it knows nothing but its bundle, a function and an event. */
const CHILD = `
const [file, name, events] = JSON.parse(process.argv[1]);
let at = performance.now(), cpu = process.cpuUsage();
const lap = () => {
  const { user, system } = process.cpuUsage(cpu), now = performance.now();
  const times = { wallMs: now - at, cpuMs: (user + system) / 1000 };
  at = now; cpu = process.cpuUsage();
  return times;
};
const functions = await import(file);
const load = lap();
const context = { getRemainingTimeInMillis: () => 29_000 };
const answers = [];
const handle = async (event) => { answers.push(await functions[name](event, context)); return lap(); };
const first = await handle(events[0]);
const second = await handle(events[1]);
process.stderr.write(JSON.stringify({ load, first, second, answers }));
process.exit(0);
`;

const folder = await mkdtemp(join(tmpdir(), "lull-cold-"));
const bundle = await bundleFunctions(join(folder, "index.mjs"));
const emulators = await startEmulators();
const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
await createTables({ clients });
const queue = (await createQueues({ clients })).default!;
const env = {
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_ENDPOINT_URL_DYNAMODB: emulators.endpoint.dynamodb,
  AWS_ENDPOINT_URL_SQS: emulators.endpoint.sqs,
  ...Object.fromEntries(Object.values(TABLES).map((table) => [table.env, table.name])),
  LULL_QUEUE_DEFAULT: queue,
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_WHATSAPP_FROM: "+14155238886",
};

let count = 0;
function message(): object {
  count += 1;
  const params = {
    AccountSid: ACCOUNT,
    MessageSid: `SM${String(count).padStart(32, "0")}`,
    From: `whatsapp:+503700${String(count).padStart(5, "0")}`,
    To: "whatsapp:+14155238886",
    Body: "hi",
    NumMedia: "0",
  };
  const { body, headers } = signedWebhook({ url: signedUrl(PATH), authToken: "token", params });
  return post(PATH, body, headers);
}

/** A trigger that finds nothing: a lease, a look, a release. */
function trigger(): object {
  count += 1;
  const body = JSON.stringify({ conversation_id: `none-${count}`, channel: "whatsapp" });
  return { Records: [{ messageId: `m${count}`, receiptHandle: "handle", body }] };
}

async function runOnce(name: string, events: readonly object[], more: Record<string, string>): Promise<Run> {
  const given = JSON.stringify([bundle.file, name, events]);
  const args = ["--input-type=module", "--eval", CHILD, given];
  const { stderr } = await promisify(execFile)(process.execPath, args, { env: { ...env, ...more } });
  const { answers, ...run } = JSON.parse(stderr.slice(stderr.lastIndexOf('{"load"'))) as Run & {
    answers: { statusCode?: number; batchItemFailures?: unknown[] }[];
  };
  const isFine = answers.every(
    (each) => (each?.statusCode ?? 200) === 200 && !each?.batchItemFailures?.length,
  );
  if (!isFine) throw new Error(`${name} answered ${JSON.stringify(answers)}`);
  return run;
}

function median(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!.toFixed(0).padStart(6);
}

async function measure(what: string, name: string, event: () => object, more = {}): Promise<void> {
  const runs: Run[] = [];
  for (let n = 0; n < RUNS; n += 1) runs.push(await runOnce(name, [event(), event()], more));
  const cells = (["load", "first", "second"] as const).map(
    (part) => `${median(runs.map((run) => run[part].cpuMs))} /${median(runs.map((run) => run[part].wallMs))}`,
  );
  console.log(`${what.padEnd(34)}${cells.join("   ")}`);
}

console.log(`bundle: ${bundle.bytes} bytes, ${bundle.zippedBytes} zipped; medians of ${RUNS} runs`);
console.log(`ms of CPU / on the clock${" ".repeat(13)}load      first event    second event`);
await measure("webhook, a signed message", "webhook", message);
await measure("webhook, /healthz", "webhook", () => get("/healthz"));
await measure("worker, a trigger without a conversation", "worker", trigger);
await measure("sweeper", "sweeper", () => ({}));
const traced = {
  AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  LAMBDA_TASK_ROOT: folder,
  AWS_XRAY_DAEMON_ADDRESS: "127.0.0.1:9",
  _X_AMZN_TRACE_ID: "Root=1-67890abc-0123456789abcdef01234567;Parent=0123456789abcdef;Sampled=1",
};
await measure("webhook, a signed message, traced", "webhook", message, traced);

clients.dynamodb.destroy();
clients.sqs.destroy();
await emulators.stop();
await rm(folder, { recursive: true, force: true });
