import { readFile, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { METRICS } from "../../src/core/metrics.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { processIdentity } from "../../src/process/identity.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { arrival } from "../../src/testing/engine-contract/builders.ts";
import { testMessage } from "../../src/testing/test-webhook.ts";
import { eventually, type LullProcess } from "../lull-process.ts";
import { ROOT } from "../staged-package.ts";
import { metricsIn, rings, rulesIn, type Samples, scrape } from "./scrape.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

const RULES = rulesIn(await readFile(join(ROOT, "docs/operating.md"), "utf8"));
const CUSTOMERS = 12;
const HELD_MS = 360_000;

/** "hold" is answered when the test says so, "fail" never. What `odd` sends, nobody knows the outcome of. */
const CONFIG = `
  import { ConfigError, LullError } from ${JSON.stringify(join(ROOT, "src/errors.ts"))};
  import { testChannel } from ${JSON.stringify(join(ROOT, "src/testing/test-channel.ts"))};

  const odd = { ...testChannel({ type: "odd", addresses: ["odd"] }), settleMs: 0 };
  odd.behave(() => ({ kind: "unknown", why: "the line broke" }));

  export default {
    channels: { odd },
    limits: { sweepSeconds: 1, graceSeconds: 0.2, backoffSeconds: 0.1, settleSeconds: 0 },
    respond: async (turn) => {
      if (turn.text === "fail") throw new Error("no such luck");
      if (turn.text === "key") throw new LullError("refused", { retry: "later", credentials: true });
      if (turn.text === "secret") throw new ConfigError("its file is gone");
      if (turn.text.includes("hold")) await fetch(process.env.GATE);
      return { text: "heard " + turn.messages.length, usage: { promptTokens: 10, completionTokens: 2 } };
    },
  };
`;

let at: Surroundings;
const leaving: (() => unknown)[] = [];
afterEach(async () => {
  await at?.end();
  for (const leave of leaving.splice(0)) await leave();
});

/** What turns wait at until the test opens it. */
async function gate() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, answer) => void waiting.push(answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  leaving.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting,
    open: () => {
      for (const answer of waiting.splice(0)) answer.end();
    },
  };
}

async function prepare() {
  const held = await gate();
  at = await surroundings({
    GATE: held.url,
    LULL_LEASE_SECONDS: "600",
    LULL_WINDOW_SECONDS: "0.2",
    LULL_LOG_LEVEL: "debug",
  });
  await writeFile(join(at.folder, "lull.config.mjs"), CONFIG);
  return held;
}

/** A turn that a living process began six minutes ago, and goes on with. */
async function longTurn(): Promise<Engine> {
  let behindMs = HELD_MS;
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() - behindMs };
  const engine = await sqlite({ file: at.env.LULL_DB! }).open({
    clock,
    settings: settingsWith({ leaseMs: 600_000, window: { kind: "fixed", lengthMs: 0 } }),
    holder: processIdentity(),
    log: () => {},
    onArmed: () => {},
  });
  leaving.push(() => engine.close());
  await engine.receiving.stage([{ arrival: arrival({ providerId: "long", arrivedAtMs: clock.nowMs() }) }]);
  const { outcomes } = await engine.turns.takeDue(1, AbortSignal.timeout(1_000));
  behindMs = 0;
  if (outcomes[0]?.kind === "turn") await engine.turns.renew(outcomes[0].taken.lease);
  return engine;
}

const named = (service: LullProcess, name: string) => service.events.filter(({ event }) => event === name);
const customers = Array.from({ length: CUSTOMERS }, (_, index) => index + 1);
const pidsOf = (service: LullProcess) => named(service, "worker.ready").map(({ pid }) => Number(pid));

/** Everybody writes, and every window that this armed closes. */
async function allWrite(service: LullProcess, text: string, more = customers): Promise<void> {
  const armed = named(service, "window.armed").length;
  for (const customer of more) expect((await at.write(customer, text)).status).toBe(200);
  const last = await service.until(
    "the windows",
    () => named(service, "window.armed")[armed + more.length - 1],
  );
  await eventually("their end", async () => (Date.now() > Number(last.dueAtMs) ? true : undefined));
}

async function until(what: string, matches: (samples: Samples) => boolean): Promise<Samples> {
  let last: Samples = new Map();
  const look = async () => {
    last = await scrape(at.url());
    return matches(last) ? last : undefined;
  };
  return eventually(what, look).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(settled(last))}`);
  });
}

function ringing(before: Samples, now: Samples): string[] {
  const seconds = Date.now() / 1_000;
  return RULES.filter((rule) => rings(rule, before, now, seconds)).map(({ alert }) => alert);
}

/** Totals that only grow, and the gauges of the store: not the times, which go on. */
const settled = (samples: Samples) =>
  Object.fromEntries([...samples].filter(([name]) => !/_seconds/.test(name)));

describe("seed 004's alerts on one machine", () => {
  test("are in the table of the page, with metrics that there are", () => {
    expect(RULES.map(({ alert }) => alert)).toEqual([
      "LullLeaseHeld",
      "LullStaleLeasesAtStart",
      "LullLeasesBusy",
      "LullDeadLetters",
      "LullUnknownSends",
      "LullWebhooksRefused",
      "LullCredentialsRefused",
      "LullConfigFailed",
      "LullOrphans",
      "LullWorkersDown",
      "LullStoreDown",
    ]);
    for (const metric of RULES.flatMap(metricsIn)) expect(Object.keys(METRICS)).toContain(metric);
  });

  test("ring when they should, and each worker tells the same of all", async () => {
    const held = await prepare();
    await longTurn();
    const service = await at.start(2);
    const quiet = await scrape(at.url());
    expect(ringing(quiet, quiet)).toEqual(["LullLeaseHeld"]);
    expect(quiet.get("lull_oldest_lease_seconds")).toBeGreaterThanOrEqual(HELD_MS / 1_000);

    await allWrite(service, "hold");
    await eventually("the turns", async () => held.waiting[CUSTOMERS - 1]);
    for (const round of [1, 2]) {
      await allWrite(service, "hold on");
      held.open();
      await eventually(`round ${round}`, async () => held.waiting[CUSTOMERS - 1]);
    }
    held.open();
    // What is written before the last of them ended would count as written during a turn.
    await until("their replies", (samples) => repliedIn(samples) === 3 * CUSTOMERS);
    await at.write(99, "fail");
    const body = JSON.stringify([testMessage({ providerId: "odd-1", address: "odd" })]);
    expect((await at.post("/webhooks/odd", { body })).status).toBe(200);
    expect((await at.write(1, "again", { sid: `SM${"9".repeat(32)}` })).status).toBe(200);
    expect((await at.write(1, "again", { sid: `SM${"9".repeat(32)}` })).status).toBe(200);
    expect((await at.post("/webhooks/nowhere", { body })).status).toBe(404);

    const now = await until("the end of every turn", (samples) => {
      const replied = repliedIn(samples) === 3 * CUSTOMERS + 1;
      return replied && samples.get("lull_unknown_sends") === 1 && dead(samples) === 1;
    });
    expect(settled(now)).toMatchObject({
      lull_workers: 2,
      lull_workers_up: 2,
      lull_store_up: 1,
      'lull_messages_staged_total{channel="whatsapp"}': 3 * CUSTOMERS + 2,
      'lull_messages_during_turn_total{channel="whatsapp"}': 2 * CUSTOMERS,
      'lull_messages_duplicate_total{channel="whatsapp"}': 1,
      'lull_messages_staged_total{channel="odd"}': 1,
      'lull_webhooks_refused_total{channel="other",code="ROUTE_NOT_FOUND"}': 1,
      lull_leases_busy_total: 2 * CUSTOMERS,
      lull_turns_dead_total: 1,
      lull_turns_retried_total: expect.any(Number),
      lull_sends_unknown_total: 1,
      lull_stale_leases_at_start: 0,
      lull_orphans_total: 0,
      lull_dead_letters: 1,
      'lull_tokens_total{kind="prompt"}': 10 * (3 * CUSTOMERS + 2),
      'lull_sends_total{channel="whatsapp",outcome="sent"}': 3 * CUSTOMERS + 1,
    });
    const released = [...now].filter(([name]) => name.startsWith("lull_leases_released_total"));
    expect(released.reduce((sum, [, value]) => sum + value, 0)).toBe(now.get("lull_leases_taken_total"));
    expect(now.get("lull_turn_late_seconds_count")).toBe(now.get("lull_leases_taken_total"));
    expect(ringing(quiet, now)).toEqual([
      ...["LullLeaseHeld", "LullLeasesBusy", "LullDeadLetters", "LullUnknownSends"],
    ]);

    // One that is stopped accepts no connection: the other answers, for both.
    for (const pid of pidsOf(service)) {
      process.kill(pid, "SIGSTOP");
      const byTheOther = await scrape(at.url()).finally(() => process.kill(pid, "SIGCONT"));
      expect(settled(byTheOther)).toEqual(settled(now));
      const metrics = [...byTheOther.keys()].map((series) => series.split("{")[0]);
      for (const metric of RULES.flatMap(metricsIn)) expect(metrics).toContain(metric);
    }
  });

  test("ring when webhooks, credentials or a setting are refused", async () => {
    await prepare();
    await at.start(2);
    const quiet = await scrape(at.url());
    for (let count = 0; count < 5; count += 1)
      expect((await at.write(1, "hi", { headers: { "x-twilio-signature": "wrong" } })).status).toBe(403);
    const refused = await scrape(at.url());
    expect(ringing(quiet, refused)).toEqual(["LullWebhooksRefused"]);
    expect((await at.write(1, "key")).status).toBe(200);
    const key = await until("the key", (samples) => samples.get("lull_credentials_refused_total")! > 0);
    expect(ringing(refused, key)).toEqual(["LullWebhooksRefused", "LullCredentialsRefused"]);
    expect((await at.write(2, "secret")).status).toBe(200);
    const secret = await until("the secret", (samples) => samples.get("lull_config_failed_total")! > 0);
    expect(ringing(key, secret)).toContain("LullConfigFailed");
  });

  test("ring after a hard stop, with who held what since when, and no total falls", async () => {
    const held = await prepare();
    const killed = await at.start(2);
    await allWrite(killed, "hold", [...customers, CUSTOMERS + 1]);
    await eventually("the turns", async () => held.waiting[CUSTOMERS]);
    const pids = pidsOf(killed);
    killed.kill("SIGKILL");
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await killed.gone();
    held.waiting.splice(0);
    const database = new DatabaseSync(at.env.LULL_DB!);
    const rows = database.prepare("SELECT conversation_id AS id, holder FROM states ORDER BY 1").all();
    expect(rows).toHaveLength(CUSTOMERS + 1);
    // Its messages are staged, and no worker would look: an orphan.
    database.prepare("DELETE FROM states WHERE conversation_id = ?").run(rows[0]!.id!);
    database.close();

    const service = await at.start(2);
    const now = await until(
      "the turns",
      (samples) => samples.get("lull_leases_taken_total") === CUSTOMERS + 1,
    );
    expect(settled(now)).toMatchObject({
      lull_stale_leases_at_start: CUSTOMERS,
      lull_leases_taken_over_total: CUSTOMERS,
      lull_leases_freed_total: CUSTOMERS,
      lull_orphans_total: 1,
    });
    expect(ringing(now, now)).toEqual(["LullStaleLeasesAtStart", "LullOrphans"]);
    const stale = named(service, "lease.taken-over");
    const told = stale.map(({ conversation: id, holder }) => ({ id, holder }));
    expect(told.toSorted((one, other) => String(one.id).localeCompare(String(other.id)))).toEqual(
      rows.slice(1).toSorted((one, other) => String(one.id).localeCompare(String(other.id))),
    );
    for (const { sinceAtMs } of stale) expect(Number(sinceAtMs)).toBeLessThan(Date.now());
    const holders = new Set(rows.slice(1).map(({ holder }) => holder));
    expect(new Set(named(service, "lease.stale").map(({ holder }) => holder))).toEqual(holders);

    process.kill(pidsOf(service)[0]!, "SIGKILL");
    const after = await until("another worker", (samples) => {
      return samples.get("lull_workers_died_total") === 1 && samples.get("lull_workers_up") === 2;
    });
    for (const [name, value] of now)
      if (/_total\b|_count|_bucket/.test(name))
        expect([name, after.get(name)! >= value]).toEqual([name, true]);
    // What the dead worker held was taken after the service had started.
    expect(after.get("lull_stale_leases_at_start")).toBe(CUSTOMERS);
  });
});

const repliedIn = (samples: Samples) => samples.get('lull_turns_committed_total{outcome="replied"}');
const dead = (samples: Samples) => samples.get("lull_dead_letters");
