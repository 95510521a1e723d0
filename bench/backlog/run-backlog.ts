import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CallLog } from "../call-log.ts";
import { faultsIn } from "../check-run.ts";
import { Child } from "../child.ts";
import { monotonicMs, sleep, sleepUntil } from "../clock.ts";
import { freePort } from "../free-port.ts";
import { removeFolder, temporaryFolder } from "../left-behind.ts";
import type { LoadOrder, LoadReport } from "../load.ts";
import type { LoadPlan } from "../load-plan.ts";
import { quantile } from "../quantiles.ts";
import { type Place, START } from "../servers.ts";
import { type BacklogRun, placesOff } from "./backlog-results.ts";
import { checkDrain, type Loaded } from "./check-drain.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FAKES = file("../fakes.ts");
const LOAD = file("../load.ts");
const CALLS_ALONE = file("./calls-alone.ts");

const CONNECTIONS = 64;
/** Long enough to stage all of them, and for webhooks of the drain not to become due in it. */
const WINDOW_MS = 30_000;
/** What comes in while the backlog is drained, in conversations of their own. */
const MEANWHILE_PER_SECOND = 200;
const MEANWHILE_MS = 5_000;
const LOAD_WITHIN_MS = 120_000;
const PACE_MS = 100;
/** Longer than a send that was lost with its process takes to settle. */
const STILL_MS = 45_000;
const TOLD_MS = 5_000;

/**
 * A service that was away: everything that waits is due in the same moment, when it is back. Messages are
 * staged, the service is killed, and started again when all windows are over.
 */
export async function runBacklog(
  conversations: number,
  repetitions: number,
  onProgress: (line: string) => void,
): Promise<readonly BacklogRun[]> {
  const runs: BacklogRun[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const which = `${repetition + 1}/${repetitions}`;
    const run = await runOnce(conversations, (line) => onProgress(`${which} ${line}`));
    onProgress(`${which} ${JSON.stringify(run)}`);
    runs.push(run);
  }
  return runs;
}

type OnProgress = (line: string) => void;

async function runOnce(conversations: number, onProgress: OnProgress): Promise<BacklogRun> {
  const folder = temporaryFolder("lull-backlog-");
  const fakes = new Child(process.execPath, [FAKES], { folder });
  try {
    const fakesUrl = await fakes.printed(/listening on (\S+)$/m);
    const drained = await stageAndDrain(conversations, folder, fakesUrl, onProgress);
    onProgress("the same HTTP calls alone");
    const alone = new Child(process.execPath, [CALLS_ALONE, fakesUrl, String(conversations)], { folder });
    const callsAlonePerSecond = conversations / (Number(await alone.printed(/took (\S+)$/m)) / 1_000);
    return rounded({ ...drained, callsAlonePerSecond });
  } finally {
    await fakes.kill();
    removeFolder(folder);
  }
}

async function stageAndDrain(
  conversations: number,
  folder: string,
  fakesUrl: string,
  onProgress: OnProgress,
): Promise<Omit<BacklogRun, "callsAlonePerSecond">> {
  const data = join(folder, "server");
  await mkdir(data);
  const port = await freePort();
  const place: Place = { folder: data, port, fakesUrl, windowMs: WINDOW_MS, isKilled: false };
  const before = await START.lull(place);
  const plan = { messages: conversations, conversations, connections: CONNECTIONS, burst: 1 };
  onProgress(`${conversations} messages are staged`);
  const staged = await load(before.url, folder, plan);
  await before.kill();
  if (staged.endedAtMs - staged.startedAtMs > WINDOW_MS) throw new Error("turns ran before all was staged");
  onProgress(`killed; started again when all windows are over, in ${WINDOW_MS / 1_000} s`);
  await sleepUntil(staged.endedAtMs + WINDOW_MS);

  const server = await START.lull(place);
  let memoryBytes = 0;
  const sampler = setInterval(() => {
    memoryBytes = Math.max(memoryBytes, server.usage().rssBytes);
  }, PACE_MS);
  try {
    onProgress("the backlog is drained");
    const later: LoadPlan = {
      ...{ messages: (MEANWHILE_PER_SECOND * MEANWHILE_MS) / 1_000, perSecond: MEANWHILE_PER_SECOND },
      ...{ conversations: CONNECTIONS * CONNECTIONS, connections: CONNECTIONS, burst: 1 },
      firstMessage: conversations,
      firstConversation: conversations,
    };
    const meanwhile = await load(server.url, folder, later);
    const log = await finishedLog(fakesUrl, conversations, onProgress);
    requireSound({ plan, posted: staged }, { plan: later, posted: meanwhile }, log);
    return { ...figuresOf(staged, log, meanwhile), memoryMb: memoryBytes / 1e6 };
  } finally {
    clearInterval(sampler);
    await server.kill();
  }
}

async function load(url: string, folder: string, plan: LoadPlan): Promise<LoadReport> {
  const report = join(folder, "load.json");
  const order: LoadOrder = { url, plan, file: report };
  const generator = new Child(process.execPath, [LOAD, JSON.stringify(order)], { folder });
  await generator.gone(LOAD_WITHIN_MS);
  return JSON.parse(await readFile(report, "utf8")) as LoadReport;
}

/** What is left when nothing has been finished for long is lost, and the checker says so. */
async function finishedLog(
  fakesUrl: string,
  conversations: number,
  onProgress: OnProgress,
): Promise<CallLog> {
  let last = { finished: -1, atMs: monotonicMs() };
  let toldAtMs = last.atMs;
  while (last.finished < conversations && monotonicMs() - last.atMs < STILL_MS) {
    const finished = Number(await (await fetch(`${fakesUrl}/finished`)).text());
    if (finished !== last.finished) last = { finished, atMs: monotonicMs() };
    if (monotonicMs() - toldAtMs >= TOLD_MS) {
      toldAtMs = monotonicMs();
      onProgress(`${finished} of ${conversations} answered`);
    }
    await sleep(PACE_MS);
  }
  return (await (await fetch(`${fakesUrl}/log`)).json()) as CallLog;
}

function requireSound(staged: Loaded, meanwhile: Loaded, log: CallLog): void {
  const found = faultsIn(checkDrain(staged, meanwhile, log, WINDOW_MS));
  if (found.length > 0) throw new Error(`the backlog: ${found.join(", ")}`);
}

function figuresOf(
  staged: LoadReport,
  { asked }: CallLog,
  meanwhile: LoadReport,
): Omit<BacklogRun, "callsAlonePerSecond" | "memoryMb"> {
  const count = staged.ackedAtMs.length;
  const turns = asked.filter(({ messages: [first = count] }) => first < count);
  const begun = turns
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs)
    .map(({ messages }) => messages[0] ?? 0);
  const arrived = [...staged.sentAtMs.keys()].sort((a, b) => staged.sentAtMs[a]! - staged.sentAtMs[b]!);
  const startsAtMs = turns.map(({ startedAtMs }) => startedAtMs);
  const tookMs = meanwhile.ackedAtMs.map((atMs, at) => atMs - meanwhile.handedAtMs[at]!);
  const overMs = Math.max(...startsAtMs) - Math.min(...startsAtMs);
  return {
    turnsPerSecond: (1_000 * turns.length) / overMs,
    ackP50Ms: quantile(tookMs, 0.5),
    ackP99Ms: quantile(tookMs, 0.99),
    ackMostMs: Math.max(...tookMs),
    placesOff: placesOff(begun, arrived),
  };
}

function rounded(run: BacklogRun): BacklogRun {
  const entries = Object.entries(run).map(([name, value]) => [name, Number(value.toPrecision(4))]);
  return Object.fromEntries(entries) as unknown as BacklogRun;
}
