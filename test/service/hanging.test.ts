import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { eventually, type LullProcess } from "../lull-process.ts";
import { type Environment, type Surroundings, surroundings } from "./surroundings.ts";

/** Short, but long enough for a healthy worker on a machine that runs other tests. */
const HUNG_SECONDS = 3;

/**
 * A worker that is asked "block" never gets back to its event loop; "freeze" stops the whole process, the
 * database's lock in its hands.
 */
const CONFIG = `
  import { writeSync } from "node:fs";
  import { DatabaseSync } from "node:sqlite";

  const say = (event, turn) =>
    writeSync(2, JSON.stringify({ event, pid: process.pid, attempt: turn.attempt }) + "\\n");

  export default {
    limits: { sweepSeconds: 600 },
    respond: (turn) => {
      if (turn.text === "block") {
        say("test.blocked", turn);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
      if (turn.text.startsWith("aaaa")) {
        say("test.blocked", turn);
        return String(/^(a+)+$/.test(turn.text));
      }
      if (turn.text === "freeze" && turn.attempt === 1) {
        const database = new DatabaseSync(process.env.LULL_DB);
        database.exec("BEGIN IMMEDIATE");
        say("test.frozen", turn);
        process.kill(process.pid, "SIGSTOP");
      }
      if (turn.text === "die") process.exit(7);
      if (turn.text.startsWith("slow"))
        return new Promise((resolve) => setTimeout(resolve, 1_500, "answer to: " + turn.text));
      return "answer to: " + turn.text;
    },
  };
`;

let at: Surroundings;
afterEach(() => at?.end());

async function prepare(environment: Environment = {}): Promise<void> {
  at = await surroundings({
    LULL_HUNG_SECONDS: String(HUNG_SECONDS),
    // No turn waits for a lease to lapse.
    LULL_LEASE_SECONDS: "600",
    LULL_WINDOW_SECONDS: "0.2",
    LULL_ATTEMPTS_MAX: "2",
    ...environment,
  });
  await writeFile(join(at.folder, "lull.config.mjs"), CONFIG);
}

async function start(workers: number, environment?: Environment): Promise<LullProcess> {
  await prepare(environment);
  return at.start(workers);
}

const named = (service: LullProcess, name: string) => service.events.filter(({ event }) => event === name);
const replies = () => at.twilio.sent.map(({ body }) => body);

/**
 * On a connection of its own, which only a worker that is awake accepts; a kept one may lead to a worker that
 * hangs.
 */
const ANEW = { connection: "close" };

function healthy(url: string): Promise<number> {
  return fetch(`${url}/healthz`, { headers: ANEW }).then(({ status }) => status);
}

/** Until it was blocked so often. */
async function blocked(service: LullProcess, times: number) {
  await service.until(`block number ${times}`, () => named(service, "test.blocked")[times - 1]);
}

describe("a responder that blocks the event loop", () => {
  test.each([
    ["for ever", "block"],
    ["with a bad regular expression", `${"a".repeat(60)}!`],
  ])("%s: the others answer, its worker is replaced, its messages become a dead letter", async (_, text) => {
    const service = await start(2);
    const url = await service.url();
    await at.write(1, text, { headers: ANEW });
    for (const round of [1, 2]) {
      await blocked(service, round);
      // The worker that takes the poison next may have the connection: then its caller comes again, as
      // providers do.
      const sid = `SM${String(round).repeat(32)}`;
      await eventually("a healthy answer", async () => ((await healthy(url)) === 200 ? true : undefined));
      await eventually("a webhook's answer", async () =>
        (await at.write(10 + round, `hi ${round}`, { sid, headers: ANEW })).status === 200 ? true : undefined,
      );
      await at.twilio.whenSent(round);
    }
    const dead = await service.event("the dead letter", ({ event }) => event === "turn.dead");
    expect(dead.reason).toBe("the worker died in every attempt");
    expect(replies()).toEqual(["answer to: hi 1", "answer to: hi 2"]);
    const told = service.events.flatMap(({ event, worker }) =>
      event === "worker.hung" || event === "worker.died" ? [[event, worker]] : [],
    );
    const [first, , second] = told.map(([, worker]) => worker);
    expect(told).toEqual([
      ["worker.hung", first],
      ["worker.died", first],
      ["worker.hung", second],
      ["worker.died", second],
    ]);
    await eventually("rest", async () => ((await at.counts()).staged === 0 ? true : undefined));
    expect(await at.counts()).toMatchObject({ dead: 1, turns: 2 });
  });

  test("with one worker: all wait, then it is replaced, and all but the poison are answered", async () => {
    // It is blocked before the parent looks for the second time, and gets no longer than any other worker for
    // all that.
    const hungSeconds = 8;
    const service = await start(1, { LULL_HUNG_SECONDS: String(hungSeconds) });
    const url = await service.url();
    await at.write(1, "block");
    await blocked(service, 1);
    const waiting = eventually("a webhook's answer", async () =>
      (await at.write(2, "hi", { sid: `SM${"f".repeat(32)}` })).status === 200 ? true : undefined,
    );
    await service.event("a hung worker", ({ event }) => event === "worker.hung");
    await service.event("the dead letter", ({ event }) => event === "turn.dead");
    await waiting;
    await at.twilio.whenSent(1);
    expect(replies()).toEqual(["answer to: hi"]);
    expect(await healthy(url)).toBe(200);
    expect(named(service, "worker.hung").map(({ silentMs }) => silentMs)).toEqual(
      Array(2).fill(hungSeconds * 1_000),
    );
  });
});

test("a stop does not wait for a worker that hangs, however long the grace time is", async () => {
  const service = await start(2, { LULL_STOP_GRACE_SECONDS: "3600" });
  await at.write(1, "block", { headers: ANEW });
  await blocked(service, 1);
  service.kill("SIGTERM");
  expect(await service.gone()).toEqual({ code: 0, signal: null });
  expect(named(service, "worker.hung")).toHaveLength(1);
});

describe("turns beside one that kills every worker", () => {
  test.each([
    ["dies", "die", "5"],
    ["hangs", "block", "3"],
  ])("are answered, each once, and only what %s becomes a dead letter", async (_, poison, attempts) => {
    const bystanders = 30;
    await start(2, { LULL_ATTEMPTS_MAX: attempts, LULL_WINDOW_SECONDS: "3", LULL_SETTLE_SECONDS: "2" });
    await Promise.all(
      Array.from({ length: bystanders }, (_, customer) => at.write(customer, `slow ${customer}`)),
    );
    await at.write(99, poison);
    await eventually("rest", async () => ((await at.counts()).staged === 0 ? true : undefined));
    expect(await at.counts()).toMatchObject({ dead: 1, turns: bystanders, unknown: 0 });
    expect(new Set(replies()).size).toBe(bystanders);
    expect(replies()).toHaveLength(bystanders);
  });
});

describe("a worker that stands still", () => {
  test("with the database's lock in its hands is killed, and the others write again", async () => {
    const service = await start(2);
    await at.write(1, "freeze");
    const { pid } = await service.event("the freeze", ({ event }) => event === "test.frozen");
    await service.event("its end", ({ event, ...its }) => event === "worker.hung" && its.pid === pid);
    await at.twilio.whenSent(1);
    await eventually("a webhook's answer", async () =>
      (await at.write(2, "hi", { sid: `SM${"f".repeat(32)}` })).status === 200 ? true : undefined,
    );
    await at.twilio.whenSent(2);
    expect(replies().sort()).toEqual(["answer to: freeze", "answer to: hi"]);
    await eventually("rest", async () => ((await at.counts()).staged === 0 ? true : undefined));
    expect(await at.counts()).toMatchObject({ dead: 0, unknown: 0, turns: 2 });
  });

  test("at its work is killed and replaced when a person stopped it", async () => {
    const service = await start(2);
    const [first] = named(service, "worker.ready");
    const pid = Number(first!.pid);
    process.kill(pid, "SIGSTOP");
    await service.event("its end", ({ event, ...its }) => event === "worker.hung" && its.pid === pid);
    const died = await service.event("its death", ({ event }) => event === "worker.died");
    expect(died).toMatchObject({ pid, signal: "SIGKILL" });
    await service.event(
      "its replacement",
      ({ event, worker, ...its }) => event === "worker.ready" && worker === first!.worker && its.pid !== pid,
    );
  });
});

describe("a worker whose parent is gone", () => {
  test("ends, also when its event loop is blocked and cannot see it", async () => {
    const service = await start(2);
    const url = await service.url();
    await at.write(1, "block");
    await blocked(service, 1);
    service.kill("SIGKILL");
    // Workers share the parent's stderr, so it is closed only when they are gone too.
    expect(await service.gone()).toEqual({ code: null, signal: "SIGKILL" });
    expect(named(service, "worker.orphaned")).toHaveLength(1);
    await expect(healthy(url)).rejects.toThrow();
  });

  test("ends, also when its store is in the middle of a long call", async () => {
    const service = await start(1);
    const url = await service.url();
    const database = new DatabaseSync(at.env.LULL_DB!, { timeout: 5_000 });
    database.exec(`CREATE TRIGGER endless BEFORE INSERT ON staged BEGIN
      SELECT count(*) FROM (WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n
        WHERE x < 1000000000000) SELECT x FROM n); END`);
    // No other call keeps the writer's lock for that long.
    database.exec("PRAGMA busy_timeout = 300");
    const written = at.write(1, "hello").catch(() => {});
    await eventually("its long call", async () => {
      expect(() => database.exec("BEGIN IMMEDIATE; ROLLBACK")).toThrow("locked");
      return true;
    });
    database.close();
    service.kill("SIGKILL");
    expect(await service.gone()).toEqual({ code: null, signal: "SIGKILL" });
    expect(named(service, "worker.orphaned")).toHaveLength(1);
    await expect(healthy(url)).rejects.toThrow();
    await written;
  });
});

describe("a start that does not get on", () => {
  const blocking = async () => {
    await prepare();
    const loading = `import { writeSync } from "node:fs";
      writeSync(2, JSON.stringify({ event: "test.loading", pid: process.pid }) + "\\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
    await writeFile(join(at.folder, "lull.config.mjs"), loading);
    const service = at.lull("start");
    await service.event("its loading", ({ event }) => event === "test.loading");
    return service;
  };

  test("ends with a signal, and leaves no process behind", async () => {
    const service = await blocking();
    service.kill("SIGTERM");
    expect(await service.gone()).toEqual({ code: 143, signal: null });
  });

  test("ends with its parent", async () => {
    const service = await blocking();
    service.kill("SIGKILL");
    expect(await service.gone()).toEqual({ code: null, signal: "SIGKILL" });
    expect(named(service, "worker.orphaned")).toHaveLength(1);
  });
});

test("a start takes nothing that was meant for the worker of another one", async () => {
  await prepare({ LULL_FIRST_WORKER: "1", LULL_DEAD_HOLDER: "x", LULL_WORKER_NUMBER: "7" });
  const service = await at.start(2);
  expect(await healthy(await service.url())).toBe(200);
});

describe("a process without a parent", () => {
  test("says that its event loop is blocked, and ends; the next one goes on with what it left", async () => {
    await prepare();
    const dev = at.lull("dev");
    await at.write(1, "block", { to: await dev.url() });
    expect(await dev.gone()).toEqual({ code: null, signal: "SIGKILL" });
    expect(dev.events.at(-1)).toMatchObject({ level: "error", event: "loop.blocked" });

    const next = at.lull("dev", "--attempts", "1");
    const dead = await next.event("the dead letter", ({ event }) => event === "turn.dead");
    expect(dead.reason).toBe("the worker died in every attempt");
  });
});

describe("no process is killed", () => {
  const harmed = (service: LullProcess) =>
    service.events.filter(({ event }) => /^worker\.(hung|died)$/.test(event));

  /** Each takes a window's time at least: together longer than a worker may be silent. */
  async function answerOneAfterTheOther(customers: readonly number[]) {
    for (const customer of customers) {
      await at.write(customer, "hi", { headers: ANEW });
      await at.twilio.whenSent(customer);
    }
  }

  test("by a parent that stood still and goes on", async () => {
    const service = await start(2, { LULL_WINDOW_SECONDS: "1" });
    service.kill("SIGSTOP");
    await answerOneAfterTheOther([1, 2, 3, 4, 5, 6]);
    service.kill("SIGCONT");
    await answerOneAfterTheOther([7, 8, 9, 10]);
    expect(harmed(service)).toEqual([]);
  });

  test("that a person may hold at a breakpoint", async () => {
    const service = await start(2, {
      LULL_WINDOW_SECONDS: "1",
      NODE_OPTIONS: "--inspect=127.0.0.1:0",
    });
    await at.write(99, "block", { headers: ANEW });
    await blocked(service, 1);
    await answerOneAfterTheOther([1, 2, 3, 4, 5]);
    expect(harmed(service)).toEqual([]);
  });
});
