import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import type { LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { attack, head, memoryOf } from "./attack.ts";

/**
 * What an attack costs: the memory of the service, and how long signed webhooks take, with it and without.
 *
 *     node test/hostile/main.ts --uploads 400 --webhooks 500               # they stall, and come once
 *     node test/hostile/main.ts --again 1                                  # whoever is cut off comes again after a second
 */
const { values } = parseArgs({
  options: {
    uploads: { type: "string", default: "400" },
    webhooks: { type: "string", default: "500" },
    again: { type: "string" },
    attack: { type: "string" },
    port: { type: "string" },
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

/** 120 KB, so that there is something not to read. */
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
  return took.sort((a, b) => a - b);
}

const share = (sorted: readonly number[], part: number) =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? 0;

/** In a process of its own: an attacker does not share its time with those who are measured. */
function attackers(port: number, name: string): ChildProcess {
  const again = values.again === undefined ? [] : ["--again", values.again];
  const args = ["--uploads", values.uploads, "--attack", name, "--port", String(port), ...again];
  return fork(import.meta.filename, args);
}

function hold(port: number, bytes: string): void {
  const { over } = attack(port, 1, () => bytes, { reads: !bytes.startsWith("GET") });
  if (values.again !== undefined)
    void over().then(() => setTimeout(hold, Number(values.again) * 1_000, port, bytes));
}

async function measured(name: string) {
  const at = await surroundings({ LULL_WEB: "1", LULL_WINDOW_SECONDS: "600" });
  try {
    const service: LullProcess = await at.start();
    const port = Number(new URL(await service.url()).port);
    await fillFeed(at);
    await times(at);
    const before99 = share(await times(at), 0.99);
    const calm = await times(at);
    const before = memoryOf(service.child.pid ?? 0);
    let most = before;
    const look = setInterval(() => {
      most = Math.max(most, memoryOf(service.child.pid ?? 0));
    }, 50);
    const attacker = attackers(port, name);
    await once(attacker, "message");
    const attacked = await times(at).finally(() => clearInterval(look));
    attacker.kill();
    return {
      attack: name,
      "memory +MB": Math.round((most - before) / 100_000) / 10,
      "median ms": `${share(calm, 0.5).toFixed(1)} -> ${share(attacked, 0.5).toFixed(1)}`,
      "p99 ms": `${share(calm, 0.99).toFixed(1)} -> ${share(attacked, 0.99).toFixed(1)}`,
      "p99 ratio": (share(attacked, 0.99) / share(calm, 0.99)).toFixed(2),
      // Of two rounds in which nothing happens: what a ratio means here.
      "calm ratio": (share(calm, 0.99) / before99).toFixed(2),
      "log lines": service.stderr.split("\n").length,
    };
  } finally {
    await at.end();
  }
}

if (values.attack === undefined) {
  const table: object[] = [];
  for (const name of Object.keys(ATTACKS)) table.push(await measured(name));
  console.table(table);
} else {
  const bytes = ATTACKS[values.attack] ?? "";
  for (let n = 0; n < uploads; n += 1) hold(Number(values.port), bytes);
  process.send?.("begun");
}
