import { join } from "node:path";
import { ROOT } from "../test/staged-package.ts";
import { ACCOUNT_SID, AUTH_TOKEN, OUR_NUMBER, PUBLIC_URL } from "./account.ts";
import { builtPeer } from "./built-peer.ts";
import { Child } from "./child.ts";
import { monotonicMs } from "./clock.ts";
import { freePort } from "./free-port.ts";
import { type Usage, usageOf } from "./process-tree.ts";
import { startRedis } from "./redis.ts";

export const SERVERS = ["floor", "memory", "lull", "bullmq"] as const;
export type ServerName = (typeof SERVERS)[number];

export const LABELS: Readonly<Record<ServerName, string>> = {
  floor: "raw node:http that only parses the form (floor)",
  memory: "in-memory map + timers (not durable)",
  lull: "Lull, one worker",
  bullmq: "BullMQ on Redis, `appendfsync always`",
};

export interface Place {
  /** Where it keeps its data: started here again, it finds what was there. */
  readonly folder: string;
  readonly port: number;
  readonly windowMs: number;
  readonly fakesUrl: string;
  /** It will be killed: a peer that waits for the locks of the dead is told to wait for seconds only. */
  readonly isKilled: boolean;
  /** Of Lull; one where left out. */
  readonly workers?: number;
  /** Beside what Lull has to be told. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Server {
  readonly url: string;
  /** From the start of its first process until it takes requests. */
  readonly readyMs: number;
  /** Of all its processes, and of those that are another program's. */
  usage(): Usage & { readonly redisCpuMs: number };
  kill(): Promise<void>;
}

type Start = (place: Place) => Promise<Server>;

const BIN = join(ROOT, "bin/lull.js");
const KILLED_RECOVERY_MS = 5_000;
const LISTENING = /listening on (\S+)$/m;

export const START: Readonly<Record<ServerName, Start>> = {
  floor: (place) => startPeer("floor", place),
  memory: (place) => startPeer("in-memory", place),
  lull: startLull,
  async bullmq(place) {
    const startedAtMs = monotonicMs();
    const redis = await startRedis(place.folder);
    const peer = await startPeer("bullmq", place, {
      BENCH_REDIS: redis.socket,
      ...(place.isKilled && { BENCH_RECOVERY_MS: String(KILLED_RECOVERY_MS) }),
    });
    return {
      url: peer.url,
      readyMs: monotonicMs() - startedAtMs,
      usage() {
        const [own, its] = [peer.usage(), usageOf(redis.child.pid)];
        const rssBytes = own.rssBytes + its.rssBytes;
        return { cpuMs: own.cpuMs + its.cpuMs, rssBytes, redisCpuMs: its.cpuMs };
      },
      async kill() {
        await Promise.all([peer.kill(), redis.child.kill()]);
      },
    };
  },
};

async function startPeer(
  name: string,
  place: Place,
  more: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const file = await builtPeer(name);
  const { port, windowMs, fakesUrl, folder } = place;
  const env = { PORT: String(port), BENCH_WINDOW_MS: String(windowMs), BENCH_FAKES_URL: fakesUrl, ...more };
  return listening(() => new Child(process.execPath, [file], { folder, env }));
}

/** As its users start it: the built program, its defaults, and what a service needs to be told. */
async function startLull(place: Place): Promise<Server> {
  const { folder, port, windowMs, fakesUrl, workers = 1 } = place;
  const env = { ...lullEnvironment(port, windowMs, fakesUrl), ...place.env };
  const args = [BIN, "start", "--workers", String(workers)];
  return listening(() => new Child(process.execPath, args, { folder, env }));
}

function lullEnvironment(port: number, windowMs: number, fakesUrl: string): Record<string, string> {
  return {
    PORT: String(port),
    LULL_PUBLIC_URL: PUBLIC_URL,
    LULL_WINDOW_SECONDS: String(windowMs / 1_000),
    TWILIO_ACCOUNT_SID: ACCOUNT_SID,
    TWILIO_AUTH_TOKEN: AUTH_TOKEN,
    TWILIO_SMS_FROM: OUR_NUMBER,
    TWILIO_API_URL: fakesUrl,
    OPENAI_API_KEY: "a-key",
    OPENAI_BASE_URL: `${fakesUrl}/v1`,
  };
}

async function listening(start: () => Child): Promise<Server> {
  const startedAtMs = monotonicMs();
  const child = start();
  const url = await child.printed(LISTENING);
  const readyMs = monotonicMs() - startedAtMs;
  return {
    url,
    readyMs,
    usage: () => ({ ...usageOf(child.pid), redisCpuMs: 0 }),
    kill: () => child.kill(),
  };
}

/** What Lull's writer itself says of its connection; it tells at a level that is too loud to be measured. */
export async function durabilityOfLull(folder: string): Promise<string> {
  const env = { ...lullEnvironment(await freePort(), 1_000, "http://127.0.0.1:9"), LULL_LOG_LEVEL: "debug" };
  const child = new Child(process.execPath, [BIN, "start", "--workers", "1"], { folder, env });
  await child.printed(LISTENING);
  await child.stop();
  const opened = child.log.split("\n").filter((line) => line.includes('"store.opened"'));
  const told = opened.map((line) => JSON.parse(line) as { journal: string; synchronous: number });
  const isFull =
    told.length > 0 && told.every(({ journal, synchronous }) => journal === "wal" && synchronous === 2);
  if (!isFull) throw new Error(`Lull's writer does not sync fully: ${JSON.stringify(told)}`);
  // What it says when it opens the file; each commit is counted elsewhere, since it may be told not to sync.
  return (
    `SQLite ${told[0]?.journal}, opened with synchronous=FULL, and synced at every commit that promises ` +
    "something (counted by `test/sqlite/synced-commits.test.ts`, not here)"
  );
}
