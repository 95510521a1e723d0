import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { parseArgs } from "node:util";
import type { LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { attack, head, memoryOf } from "./attack.ts";

/**
 * What an attack costs: the memory of the service, and how long signed webhooks take. The attacker works on
 * the same
 * machine, so that its own time is part of what the webhooks take: each round is one without an attack, one
 * beside the
 * same attack on a port that is not Lull's, and one beside the attack on Lull. What counts is the last
 * against the one
 * before; two calm rounds say how far two equal ones are apart.
 *
 *     node test/hostile/main.ts --uploads 400 --webhooks 1000 --rounds 5   # the attackers stall, and come
 *     once
 *     node test/hostile/main.ts --only "1 MB, no signature"                # one of the attacks
 *     node test/hostile/main.ts --again 1                                  # those that are cut off come
 *     again after a second
 */
const { values } = parseArgs({
  options: {
    uploads: { type: "string", default: "400" },
    webhooks: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    again: { type: "string" },
    only: { type: "string" },
    // The parts that are processes of their own.
    attack: { type: "string" },
    port: { type: "string" },
    watch: { type: "string" },
  },
});
const uploads = Number(values.uploads);
const webhooks = Number(values.webhooks);

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };
const VISITOR = "the-visitor";
const FEED = `GET /webhooks/web/feed?sender=${VISITOR} HTTP/1.1\r\nHost: a\r\n\r\n`;
const PAGE = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const ATTACKS: Readonly<Record<string, string>> = {
  "1 MB, no signature": upload("/webhooks/whatsapp", FORM, 999_999),
  "64 KB, a wrong signature": upload("/webhooks/whatsapp", { ...FORM, "x-twilio-signature": "AAAA" }, 65_536),
  "400 KB, unsigned web": upload("/webhooks/web", JSON_TYPE, 400_000),
  "one byte, a wrong signature": upload("/webhooks/whatsapp", { ...FORM, "x-twilio-signature": "AAAA" }, 2),
  "headers without an end": "POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nX: ",
  "a feed, unread": FEED,
  "400 feeds one behind the other, unread": FEED.repeat(400),
  "2,000 pages one behind the other, unread": PAGE.repeat(2_000),
};

/** All of it but the last byte. */
function upload(path: string, headers: Record<string, string>, size: number): string {
  return head(path, { ...headers, "content-length": size }) + "x".repeat(size - 1);
}

/** 120 KB, so that an unread answer is large. */
async function fillFeed(at: Surroundings): Promise<void> {
  for (let n = 0; n < 30; n += 1) {
    const body = JSON.stringify({ id: `m${n}`, sender: VISITOR, text: "x".repeat(4_000) });
    await at.post("/webhooks/web", { body, headers: JSON_TYPE });
  }
}

async function times(at: Surroundings): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < webhooks; n += 1) {
    const startedAt = performance.now();
    const { status } = await at.write(n % 50, "hi");
    took.push(performance.now() - startedAt);
    if (status !== 200) throw new Error(`a signed webhook was answered ${status}`);
  }
  return took;
}

function share(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? 0;
}

/**
 * A process of its own: neither an attacker nor the look at the memory shares its time with the webhooks that
 * are timed.
 */
function helper(...args: string[]): ChildProcess {
  return fork(import.meta.filename, args);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** The times of webhooks beside an attack on `port`. */
async function beside(name: string, port: number, at: Surroundings): Promise<number[]> {
  const again = values.again === undefined ? [] : ["--again", values.again];
  const attacker = helper("--uploads", values.uploads, "--attack", name, "--port", String(port), ...again);
  try {
    await once(attacker, "message");
    return await times(at);
  } finally {
    await ended(attacker);
  }
}

function hold(port: number, bytes: string): void {
  const { over } = attack(port, 1, () => bytes, { reads: !bytes.startsWith("GET") });
  if (values.again !== undefined)
    void over().then(() => setTimeout(hold, Number(values.again) * 1_000, port, bytes));
}

/** Takes connections and reads nothing of them. */
async function elsewhere() {
  const server = createServer({ pauseOnConnect: true }, (socket) => socket.on("error", () => {}));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

async function most(watcher: ChildProcess): Promise<number> {
  watcher.send("most");
  const [bytes] = await once(watcher, "message");
  return bytes as number;
}

async function measured(name: string) {
  const at = await surroundings({ LULL_WEB: "1", LULL_WINDOW_SECONDS: "600" });
  const nowhere = await elsewhere();
  const service: LullProcess = await at.start();
  const watcher = helper("--watch", String(service.child.pid));
  try {
    const port = Number(new URL(await service.url()).port);
    const control = (nowhere.address() as AddressInfo).port;
    await fillFeed(at);
    await times(at);
    const [calm, calmAgain, controlled, attacked]: [number[], number[], number[], number[]] = [
      [],
      [],
      [],
      [],
    ];
    const growths: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      calm.push(...(await times(at)));
      controlled.push(...(await beside(name, control, at)));
      calmAgain.push(...(await times(at)));
      const before = await most(watcher);
      attacked.push(...(await beside(name, port, at)));
      growths.push((await most(watcher)) - before);
    }
    const of = (part: number) =>
      [calm, controlled, attacked].map((each) => share(each, part).toFixed(1)).join(" / ");
    const ratio = (one: number[], other: number[]) => (share(one, 0.99) / share(other, 0.99)).toFixed(2);
    return {
      attack: name,
      "memory +MB": Math.round(Math.max(...growths) / 100_000) / 10,
      "median ms, calm / beside / attacked": of(0.5),
      "p99 ms": of(0.99),
      "attacked : beside": ratio(attacked, controlled),
      "attacked : calm": ratio(attacked, calm),
      "calm : calm": ratio(calmAgain, calm),
      "log lines": service.stderr.split("\n").length,
    };
  } finally {
    await ended(watcher);
    nowhere.close();
    await at.end();
  }
}

/** Answers each question with the most that the process held since the last one. */
function watch(pid: number): void {
  let most = 0;
  const look = () => {
    most = Math.max(most, memoryOf(pid));
  };
  setInterval(look, 50);
  process.on("message", () => {
    look();
    process.send?.(most);
    most = 0;
  });
}

if (values.watch !== undefined) watch(Number(values.watch));
else if (values.attack !== undefined) {
  const bytes = ATTACKS[values.attack] ?? "";
  for (let n = 0; n < uploads; n += 1) hold(Number(values.port), bytes);
  process.send?.("begun");
} else {
  const table: object[] = [];
  for (const name of Object.keys(ATTACKS).filter((each) => each === (values.only ?? each)))
    table.push(await measured(name));
  console.table(table);
}
