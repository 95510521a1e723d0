import { appendFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { threadId } from "node:worker_threads";
import { monotonicMs } from "../clock.ts";

/** What one thread has seen of the store's lock by then. */
export interface LockSample {
  readonly thread: string;
  readonly atMs: number;
  readonly commits: number;
  readonly heldMs: number;
  readonly waitedMs: number;
}

/** Loaded into every thread of Lull, ahead of it: how long the store's lock is waited for, and held. */
class LockProbe {
  readonly #file: string;
  #commits = 0;
  #heldMs = 0;
  #waitedMs = 0;
  #askedAtMs: number | undefined;
  #gotAtMs = 0;
  #writtenAtMs = 0;

  constructor(file: string) {
    this.#file = file;
  }

  asked(): void {
    // Refused, and asked again: it waits since the first time.
    this.#askedAtMs ??= performance.now();
  }

  got(): void {
    this.#gotAtMs = performance.now();
    this.#waitedMs += this.#gotAtMs - (this.#askedAtMs ?? this.#gotAtMs);
    this.#askedAtMs = undefined;
  }

  gave(): void {
    const nowMs = performance.now();
    this.#commits += 1;
    this.#heldMs += nowMs - this.#gotAtMs;
    if (nowMs - this.#writtenAtMs < WRITTEN_EVERY_MS) return;
    this.#writtenAtMs = nowMs;
    appendFileSync(this.#file, `${JSON.stringify(this.#sample())}\n`);
  }

  #sample(): LockSample {
    const thread = `${process.pid}/${threadId}`;
    return {
      thread,
      atMs: monotonicMs(),
      commits: this.#commits,
      heldMs: this.#heldMs,
      waitedMs: this.#waitedMs,
    };
  }
}

/** Not at the end: the processes are killed. */
const WRITTEN_EVERY_MS = 200;

function listen(probe: LockProbe): void {
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    const begins = sql === "BEGIN IMMEDIATE";
    if (begins) probe.asked();
    exec.call(this, sql);
    if (begins) probe.got();
    if (sql === "COMMIT" || sql === "ROLLBACK") probe.gave();
  };
}

const file = process.env.BENCH_LOCK_FILE;
if (file !== undefined) listen(new LockProbe(file));
