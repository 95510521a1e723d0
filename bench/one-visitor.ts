import { writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { ROOT } from "../test/staged-package.ts";
import { timesIn } from "./arguments.ts";
import { Child } from "./child.ts";
import { removeFolder, temporaryFolder } from "./left-behind.ts";
import { quantile } from "./quantiles.ts";

/**
 * What one visitor costs all others: `npm run bench -- visitor [rounds] [messages a turn]`. In every
 * round the webhooks of a hundred others are timed alone, and then while one visitor's 2,000 messages, 8 MB,
 * are drained and its page asks for its feed ten times a second. What counts is the ratio of the two in the
 * middle round: the times themselves depend on what else the machine does, and a disk that stalls once spoils
 * one round.
 */
const [, , , rounds, batch] = process.argv;
const ROUNDS = timesIn("rounds", rounds, 5);
const BATCH = timesIn("messages a turn", batch, 500);
const MAIN = join(ROOT, "src/cli/main.ts");
const MESSAGES = 2_000;
const TEXT = "x".repeat(3_900);
const OTHERS = 100;
const PACE_MS = 10;
const MEASURED_MS = 8_000;
const FEED_PACE_MS = 100;
/**
 * The whole pile weighs eight times what one turn may. An answer takes long enough for the drain to last as
 * long as the measurement.
 */
const ANSWER_MS = Math.floor(MEASURED_MS / Math.max(8, MESSAGES / BATCH));

const CONFIG = `export default {
  web: true, window: { seconds: 0.1 }, limits: { batchMessagesMax: ${BATCH}, visitorPerMinuteMax: 0 },
  respond: async (turn) => {
    await new Promise((done) => setTimeout(done, ${ANSWER_MS}));
    return String(turn.messages.length);
  },
};`;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly tookMs: number;
}

function call(url: string, body?: object): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const asked = request(url, { agent, method: body ? "POST" : "GET", headers }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, bytes, tookMs: performance.now() - startedAt }),
      );
    });
    asked.on("error", reject);
    asked.end(body && JSON.stringify(body));
  });
}

/** At a steady pace, whether or not the one before was answered: a slow service does not get less to do. */
async function everyMs<T>(paceMs: number, forMs: number, work: (at: number) => Promise<T>): Promise<T[]> {
  const running: Promise<T>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at * paceMs < forMs; at += 1) {
    const waitMs = startedAt + at * paceMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    running.push(work(at));
  }
  return Promise.all(running);
}

let count = 0;
function message(sender: string, text: string): object {
  count += 1;
  return { id: `m${count}`, sender, text };
}

async function others(url: string): Promise<Answer[]> {
  return everyMs(PACE_MS, MEASURED_MS, (at) =>
    call(`${url}/webhooks/web`, message(`person-${at % OTHERS}`, "are you open tomorrow?")),
  );
}

async function stageAll(url: string): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let left = MESSAGES;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const { status } = await call(`${url}/webhooks/web`, message("the-visitor", TEXT));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return statuses;
}

function tookMs(answers: readonly Answer[], share: number): number {
  return quantile(
    answers.map((answer) => answer.tookMs),
    share,
  );
}

/** Nothing of this visitor waits any more. */
async function drained(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/webhooks/web/feed?sender=the-visitor`);
    if (answer.status === 404) return;
    const { state } = (await answer.json()) as { state: string };
    if (state === "idle") return;
    await new Promise((resolve) => setTimeout(resolve, FEED_PACE_MS));
  }
}

const alone: Answer[] = [];
const beside: Answer[] = [];
const fed: Answer[] = [];
const ratios: number[] = [];

async function round(url: string): Promise<void> {
  await drained(url);
  const before = await others(url);
  const statuses = await stageAll(url);
  if (statuses[200] !== MESSAGES) throw new Error(`not all were staged: ${JSON.stringify(statuses)}`);
  const feed = everyMs(FEED_PACE_MS, MEASURED_MS, () => call(`${url}/webhooks/web/feed?sender=the-visitor`));
  const meanwhile = await others(url);
  fed.push(...(await feed));
  alone.push(...before);
  beside.push(...meanwhile);
  ratios.push(tookMs(meanwhile, 0.99) / tookMs(before, 0.99));
}

const cwd = temporaryFolder("lull-bench-");
await writeFile(join(cwd, "lull.config.mjs"), CONFIG);
const env = { PORT: "0", LULL_LOG_LEVEL: "error" };
const service = new Child(process.execPath, [MAIN, "start"], { folder: cwd, env });
try {
  const url = await service.printed(/listening on (\S+)$/m);
  await others(url);
  for (let at = 0; at < ROUNDS; at += 1) {
    await round(url);
    console.error(`${at + 1}/${ROUNDS} p99: ${ratios.at(-1)?.toFixed(2)} x`);
  }
  const failed = [...alone, ...beside].filter(({ status }) => status !== 200).length;
  const line = (what: string, answers: readonly Answer[]) =>
    `${what}: p50 ${tookMs(answers, 0.5).toFixed(1)} ms, p99 ${tookMs(answers, 0.99).toFixed(1)} ms, ` +
    `worst ${tookMs(answers, 1).toFixed(1)} ms`;
  console.log(
    `${ROUNDS} rounds, ${BATCH} messages a turn, ${failed} of ${alone.length + beside.length} ` +
      "webhooks failed",
  );
  console.log(line("others' webhooks alone", alone));
  console.log(line(`beside ${MESSAGES} messages of one visitor`, beside));
  console.log(
    `${line("that visitor's feed", fed)}, ${Math.max(...fed.map(({ bytes }) => bytes))} bytes at most`,
  );
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  console.log(`p99: ${quantile(ratios, 0.5).toFixed(2)} x in the middle round (${each})`);
} finally {
  await service.kill();
  removeFolder(cwd);
  agent.destroy();
}
