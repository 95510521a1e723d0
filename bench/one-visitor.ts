import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LullProcess } from "../test/lull-process.ts";

/**
 * What one visitor costs everybody else: `node bench/one-visitor.ts [rounds]`. In every round a fresh service first answers the webhooks of a
 * hundred others alone, then the same while one visitor's 2,000 messages, 8 MB, are drained in turns of 20 and his page asks for
 * its feed ten times a second. What counts is the ratio of the two: the times themselves depend on what else the machine does.
 */
const ROUNDS = Number(process.argv[2] ?? 5);
const MESSAGES = 2_000;
const TEXT = "x".repeat(3_900);
const OTHERS = 100;
const PACE_MS = 10;
const MEASURED_MS = 6_000;
const FEED_PACE_MS = 100;

const CONFIG = `export default {
  web: true, window: { seconds: 0.5 }, limits: { batchMessagesMax: 20, unsignedPerMinuteMax: 0 },
  respond: async (turn) => { await new Promise((done) => setTimeout(done, 50)); return String(turn.messages.length); },
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

/** At a steady pace, whether or not the one before was answered: who is slow does not get less to do. */
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

function quantile(answers: readonly Answer[], share: number): number {
  const sorted = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function round(): Promise<{ aloneMs: number; besideMs: number }> {
  const cwd = await mkdtemp(join(tmpdir(), "lull-bench-"));
  await writeFile(join(cwd, "lull.config.mjs"), CONFIG);
  const service = new LullProcess(["start"], { cwd, env: { PORT: "0", LULL_LOG_LEVEL: "error" } });
  try {
    const url = await service.url();
    await everyMs(PACE_MS, 1_000, () => call(`${url}/webhooks/web`, message("warming-up", "hello")));
    const alone = await others(url);
    const statuses = await stageAll(url);
    const feed = everyMs(FEED_PACE_MS, MEASURED_MS, () =>
      call(`${url}/webhooks/web/feed?sender=the-visitor`),
    );
    const beside = await others(url);
    const fed = await feed;
    const failed = [...alone, ...beside].filter(({ status }) => status !== 200).length;
    const figures = {
      staged: statuses,
      alone_p50: quantile(alone, 0.5),
      alone_p99: quantile(alone, 0.99),
      beside_p50: quantile(beside, 0.5),
      beside_p99: quantile(beside, 0.99),
      feed_p50: quantile(fed, 0.5),
      feed_bytes: Math.max(...fed.map(({ bytes }) => bytes)),
      failed,
    };
    console.log(
      JSON.stringify(figures, (_, value) => (typeof value === "number" ? Number(value.toFixed(1)) : value)),
    );
    return { aloneMs: quantile(alone, 0.99), besideMs: quantile(beside, 0.99) };
  } finally {
    service.kill("SIGKILL");
    await service.gone();
    await rm(cwd, { recursive: true, force: true });
  }
}

const rounds: { aloneMs: number; besideMs: number }[] = [];
for (let at = 0; at < ROUNDS; at += 1) rounds.push(await round());
const aloneMs = median(rounds.map((each) => each.aloneMs));
const besideMs = median(rounds.map((each) => each.besideMs));
console.log(
  `others' webhooks, p99, medians of ${ROUNDS} rounds: ${aloneMs.toFixed(1)} ms alone, ${besideMs.toFixed(1)} ms beside ${MESSAGES} staged messages: ${(besideMs / aloneMs).toFixed(2)} x`,
);
agent.destroy();
