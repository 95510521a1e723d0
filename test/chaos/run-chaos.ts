import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { FakeOpenaiBehaviour } from "../../src/testing/fake-openai.ts";
import type { FakeBehaviour } from "../../src/testing/fake-server.ts";
import { type Random, seeded } from "../../src/testing/simulator/random.ts";
import type { LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { ForgetfulDisk } from "../sqlite/forgetful-disk.ts";

export interface ChaosOptions {
  readonly kills: number;
  /**
   * Killing goes on until so many messages were taken in: on a busy machine workers are slower than their
   * killer.
   */
  readonly acknowledgedMin?: number;
  readonly seed: number;
  readonly workers?: number;
  /** A small disk of its own that is filled now and then. Only root may mount one. */
  readonly fillDisk?: boolean;
  /** At every other kill of everything, what was not synced is forgotten as well. SQLite files only. */
  readonly cutPower?: boolean;
  /** Somewhere else than in a SQLite file. */
  readonly store?: ChaosStore;
  readonly onProgress?: (line: string) => void;
}

/** Where the service keeps everything, and what stands there in the end, read without the service. */
export interface ChaosStore {
  readonly env: Readonly<Record<string, string>>;
  /** How much rarer kills are than on a file: a worker that is killed before it listens shows nothing. */
  readonly slower: number;
  kept(): Promise<Kept>;
}

export interface Kept {
  readonly turns: readonly { readonly messageIds: readonly string[] }[];
  readonly dead: readonly { readonly messageIds: readonly string[] }[];
  readonly unknown: readonly { readonly text: string }[];
}

export interface ChaosReport {
  readonly kills: number;
  readonly restarts: number;
  /**
   * Workers and parents stopped with SIGSTOP. Some go on after a while; the watchdog has to find the others.
   */
  readonly frozen: number;
  /** Messages whose responder never gets back to its event loop, in its first attempts. */
  readonly blocks: number;
  /** Workers that their parent found hanging, and killed. */
  readonly hung: number;
  readonly outages: number;
  readonly disksFilled: number;
  readonly powerCuts: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly turns: number;
  readonly dead: number;
  readonly unknown: number;
  readonly lost: readonly string[];
  readonly inTwoTurns: readonly string[];
  readonly answeredTwice: readonly string[];
}

const CUSTOMERS = 40;
const WRITERS = 12;
const SETTLE_DEADLINE_MS = 120_000;
const START_DEADLINE_MS = 60_000;
/** For the watchdog, on a machine that is busy. */
const FOUND_DEADLINE_MS = 15_000;

const OPENAI = fileURLToPath(new URL("../../src/responders/openai/index.ts", import.meta.url));

/**
 * A model answers. But a worker that is asked about a blocking message, for the first or second time, never
 * gets back to its event loop.
 */
const CONFIG = `
  import { openai } from ${JSON.stringify(OPENAI)};
  const answer = openai();
  export default {
    limits: { sweepSeconds: 5, graceSeconds: 5 },
    respond: (turn) => {
      if (turn.text.includes("block") && turn.attempt <= 2)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return answer(turn);
    },
  };
`;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Real processes on a real file, really killed, frozen and blocked, while customers write, the provider fails
 * and the disk fills up.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const random = seeded(options.seed);
  const at = await surroundings({
    LULL_WINDOW_SECONDS: "0.4",
    LULL_LEASE_SECONDS: "6",
    LULL_SETTLE_SECONDS: "2",
    LULL_SEND_TIMEOUT_SECONDS: "1",
    LULL_ANSWER_TIMEOUT_SECONDS: "3",
    LULL_ATTEMPTS_MAX: "20",
    // Before a lease can lapse: a worker that is frozen for longer never gets to send again.
    LULL_HUNG_SECONDS: "3",
    LULL_LOG_LEVEL: "error",
    ...options.store?.env,
  });
  // As often as SQLite's defaults say, wherever it is kept, so that the end does not take minutes.
  writeFileSync(join(at.folder, "lull.config.mjs"), CONFIG);
  const disk = options.fillDisk ? mountDisk(at) : undefined;
  const forgetful = options.cutPower ? new ForgetfulDisk(disk ?? at.folder, at.folder) : undefined;
  Object.assign(at.env, forgetful?.env);
  try {
    return await new Chaos(at, options, random, { path: disk, forgetful }).run();
  } finally {
    await at.stop();
    if (disk) execFileSync("umount", ["-l", disk]);
    await at.end();
  }
}

function mountDisk(at: Surroundings): string {
  const disk = join(at.folder, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", disk]);
  at.env.LULL_DB = join(disk, "lull.db");
  return disk;
}

/** Returns whether it was alive: it may have died by itself a moment ago. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function keptInFile(file: string): Kept {
  const database = new DatabaseSync(file, { readOnly: true });
  const records = (table: string) =>
    database
      .prepare(`SELECT record FROM ${table}`)
      .all()
      .map(({ record }) => JSON.parse(String(record)));
  const letters = records("dead_letters") as { rows: { id: string }[] }[];
  const kept = {
    turns: records("turns") as { messageIds: string[] }[],
    dead: letters.map(({ rows }) => ({ messageIds: rows.map(({ id }) => id) })),
    unknown: records("unknown_sends") as { text: string }[],
  };
  database.close();
  return kept;
}

interface Disk {
  /** One of its own, which can be filled. */
  readonly path: string | undefined;
  readonly forgetful: ForgetfulDisk | undefined;
}

class Chaos {
  readonly #at: Surroundings;
  readonly #options: ChaosOptions;
  readonly #random: Random;
  readonly #disk: Disk;
  readonly #acknowledged = new Set<string>();
  #service: LullProcess | undefined;
  #isOver = false;
  #written = 0;
  #refused = 0;
  #kills = 0;
  #restarts = 0;
  #frozen = 0;
  #blocks = 0;
  /** Of services that were killed since. */
  #hungBefore = 0;
  #blockNext = false;
  #outages = 0;
  #disksFilled = 0;
  #powerCuts = 0;
  #outage: FakeBehaviour | undefined;

  constructor(at: Surroundings, options: ChaosOptions, random: Random, disk: Disk) {
    this.#at = at;
    this.#options = options;
    this.#random = random;
    this.#disk = disk;
  }

  async run(): Promise<ChaosReport> {
    this.#at.twilio.behave(({ method }) => this.#providerMood(method));
    this.#at.openai.behave(({ lastUserText }) => this.#modelMood(lastUserText));
    await this.#start();
    const writers = Array.from({ length: WRITERS }, () => this.#write());
    const trouble = [
      this.#makeOutages(),
      ...(this.#disk.path === undefined ? [] : [this.#fillDisk(this.#disk.path)]),
    ];
    await this.#killOnAndOn();
    this.#isOver = true;
    await Promise.all([...writers, ...trouble]);
    this.#options.onProgress?.("no more trouble; waiting until everything has come right");
    await this.#settled();
    return this.#report();
  }

  /** As often as it takes, as an operator would: on a disk that is full just now it does not start. */
  async #start(): Promise<void> {
    const workers = this.#options.workers ?? 4;
    const deadline = AbortSignal.timeout(START_DEADLINE_MS);
    for (;;) {
      try {
        this.#service = await this.#at.start(workers);
        return;
      } catch (error) {
        if (deadline.aborted || this.#disk.path === undefined) throw error;
        await wait(200);
      }
    }
  }

  /**
   * One customer after the other, each certain only of the 200 that came back. Without it, the provider posts
   * again.
   */
  async #write(): Promise<void> {
    while (!this.#isOver) {
      this.#written += 1;
      const text = `message-${this.#written}-end${this.#blocking()}`;
      const sid = `SM${String(this.#written).padStart(32, "0")}`;
      await this.#post(this.#random.below(CUSTOMERS), text, sid);
      await wait(this.#random.below(60));
    }
  }

  #blocking(): string {
    if (!this.#blockNext) return "";
    this.#blockNext = false;
    this.#blocks += 1;
    return " block";
  }

  async #post(customer: number, text: string, sid: string): Promise<void> {
    for (;;) {
      const status = await this.#at.write(customer, text, { sid }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) {
        this.#acknowledged.add(text);
        // Providers deliver again what was acknowledged, now and then.
        if (this.#random.chance(0.05)) await this.#at.write(customer, text, { sid }).catch(() => {});
        return;
      }
      this.#refused += 1;
      await wait(50 + this.#random.below(200));
    }
  }

  async #killOnAndOn(): Promise<void> {
    const { kills, acknowledgedMin = 0 } = this.#options;
    while (this.#kills < kills || this.#acknowledged.size < acknowledgedMin) {
      await wait((150 + this.#random.below(700)) * (this.#options.store?.slower ?? 1));
      await this.#trouble();
      if (this.#kills % 25 === 0)
        this.#options.onProgress?.(`${this.#kills} killed, ${this.#acknowledged.size} acknowledged`);
    }
  }

  async #trouble(): Promise<void> {
    const lot = this.#random.below(100);
    if (lot < 4) await this.#killEverything();
    else if (lot < 12) await this.#freezeOne();
    else if (lot < 14) await this.#freezeParent();
    else if (lot < 20) await this.#blockOne();
    else this.#killOne();
  }

  /** Half of them go on before the watchdog notices; the others have to be found. */
  async #freezeOne(): Promise<void> {
    const workers = this.#workers();
    if (workers.length === 0) return;
    const pid = this.#random.pick(workers);
    this.#frozen += 1;
    signal(pid, "SIGSTOP");
    if (this.#random.chance(0.5)) return this.#untilOneIsFound();
    await wait(this.#random.below(2_000));
    signal(pid, "SIGCONT");
  }

  /** The worker that answers the next message. */
  async #blockOne(): Promise<void> {
    this.#blockNext = true;
    await this.#untilOneIsFound();
  }

  /**
   * Meanwhile no other worker is killed, or the killer would be quicker than the watchdog every time.
   * Customers go on writing.
   */
  async #untilOneIsFound(): Promise<void> {
    const before = this.#hungNow();
    const deadline = AbortSignal.timeout(FOUND_DEADLINE_MS);
    while (this.#hungNow() === before && !deadline.aborted) await wait(50);
  }

  async #freezeParent(): Promise<void> {
    const { pid } = this.#service!.child;
    this.#frozen += 1;
    signal(pid!, "SIGSTOP");
    await wait(this.#random.below(5_000));
    signal(pid!, "SIGCONT");
  }

  #killOne(): void {
    const workers = this.#workers();
    if (workers.length === 0) return;
    if (signal(this.#random.pick(workers), "SIGKILL")) this.#kills += 1;
  }

  async #killEverything(): Promise<void> {
    const { child } = this.#service!;
    this.#kills += 1 + this.#workers().length;
    for (const pid of this.#workers()) signal(pid, "SIGKILL");
    child.kill("SIGKILL");
    await this.#service!.gone();
    this.#hungBefore += this.#hungNow();
    this.#restarts += 1;
    if (this.#disk.forgetful && this.#restarts % 2 === 1) {
      this.#powerCuts += 1;
      this.#disk.forgetful.powerIsBack(this.#at.env.LULL_DB!);
    }
    await this.#start();
  }

  #workers(): number[] {
    const { pid } = this.#service!.child;
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  #hungNow(): number {
    return this.#service!.events.filter(({ event }) => event === "worker.hung").length;
  }

  #providerMood(method: string): FakeBehaviour {
    if (this.#outage) return this.#outage;
    if (this.#isOver || !this.#random.chance(method === "POST" ? 0.1 : 0.05)) return { kind: "ok" };
    return this.#random.pick<FakeBehaviour>([
      { kind: "hang", tookEffect: true },
      { kind: "hang" },
      { kind: "drop", tookEffect: true },
      { kind: "drop" },
      { kind: "error", status: 429, code: 20429 },
      { kind: "status", status: 503 },
    ]);
  }

  #modelMood(text: string): FakeOpenaiBehaviour {
    if (this.#isOver || !this.#random.chance(0.1)) return `answer to: ${text}`;
    return this.#random.pick<FakeOpenaiBehaviour>([
      { kind: "error", status: 500 },
      { kind: "drop" as const },
      { kind: "hang" as const },
    ]);
  }

  async #makeOutages(): Promise<void> {
    while (!this.#isOver) {
      await wait(5_000 + this.#random.below(5_000));
      if (this.#isOver) return;
      this.#outages += 1;
      this.#outage = { kind: "status", status: 503 };
      await wait(1_000);
      this.#outage = undefined;
    }
  }

  async #fillDisk(disk: string): Promise<void> {
    const filler = join(disk, "filler");
    while (!this.#isOver) {
      await wait(8_000 + this.#random.below(8_000));
      if (this.#isOver) return;
      this.#disksFilled += 1;
      const { bavail, bsize } = statfsSync(disk);
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch {
        // Full: that is what it is for.
      }
      await wait(1_500);
      rmSync(filler, { force: true });
    }
  }

  async #settled(): Promise<void> {
    const deadline = AbortSignal.timeout(SETTLE_DEADLINE_MS);
    for (;;) {
      const counts = (await this.#at.api("/counts").catch(() => undefined)) as
        | Record<string, number>
        | undefined;
      if (counts && counts.staged === 0 && counts.leases === 0 && counts.windows === 0) return;
      if (deadline.aborted) return;
      await wait(200);
    }
  }

  /** What was acknowledged, against the store and the provider's own ledger. */
  async #report(): Promise<ChaosReport> {
    const { store } = this.#options;
    const { turns, dead, unknown } = store ? await store.kept() : keptInFile(this.#at.env.LULL_DB!);
    const ends = new Map<string, number>();
    const count = (id: string) => ends.set(id, (ends.get(id) ?? 0) + 1);
    for (const { messageIds } of [...turns, ...dead]) for (const id of messageIds) count(id);
    const byNumber = new Map([...ends].map(([id, times]) => [Number(/(\d+)$/.exec(id)?.[1]), times]));
    const times = (text: string) => byNumber.get(Number(text.split("-")[1])) ?? 0;
    const replies = new Map<string, number>();
    for (const { body } of this.#at.twilio.sent) {
      for (const text of new Set(body.match(/message-\d+-end/g)))
        replies.set(text, (replies.get(text) ?? 0) + 1);
    }
    const isUnknown = (text: string) => unknown.some((send) => send.text.includes(text));
    const all = [...this.#acknowledged];
    return {
      kills: this.#kills,
      restarts: this.#restarts,
      frozen: this.#frozen,
      blocks: this.#blocks,
      hung: this.#hungBefore + this.#hungNow(),
      outages: this.#outages,
      disksFilled: this.#disksFilled,
      powerCuts: this.#powerCuts,
      acknowledged: all.length,
      refused: this.#refused,
      turns: turns.length,
      dead: dead.length,
      unknown: unknown.length,
      lost: all.filter((text) => times(text) === 0),
      inTwoTurns: [...byNumber].filter(([, n]) => n > 1).map(([number]) => `message-${number}-end`),
      answeredTwice: [...replies].filter(([text, n]) => n > 1 && !isUnknown(text)).map(([text]) => text),
    };
  }
}
