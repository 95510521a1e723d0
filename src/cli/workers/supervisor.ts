import cluster, { type Worker } from "node:cluster";
import { tellable } from "../../errors.ts";
import type { Log } from "../../model/log.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Watch, watch } from "../watching/watch.ts";
import { deathsInARow, restartDelayMs } from "./backoff.ts";
import { freeAlone, freeBySibling } from "./free-leases.ts";
import {
  isWorkerMessage,
  type ParentMessage,
  SERVICE_STARTED,
  SHARED_PORT,
  WORKER_NUMBER,
  type WorkerMessage,
} from "./messages.ts";
import { Totals } from "./totals.ts";

/** How much longer than their grace time workers may take before they are killed. */
const STOP_MARGIN_MS = 5_000;

/**
 * When to look for a dead worker's leases. At least twice, since an index may show the latest one a moment
 * late, and then as long as a lease is found that no worker has taken: the wake-up may have gone to a request
 * that the dead worker had left open.
 */
const FREE_AFTER_MS = [0, 2_000, 3_000, 5_000, 10_000] as const;

/** The place of one worker, which many processes may fill one after the other. */
interface Seat {
  readonly number: number;
  worker?: Worker | undefined;
  holder?: string | undefined;
  watch?: Watch | undefined;
  startedAtMs: number;
  ready: boolean;
  deaths: number;
}

/** How the process of a worker ended. */
interface WorkerEnd {
  readonly pid: number | undefined;
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

export interface SupervisorOptions {
  readonly workers: number;
  readonly port: number;
  readonly startedAtMs: number;
  readonly graceMs: number;
  /** How long a worker may leave its parent without an answer; 0: for ever. */
  readonly hungMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** All workers listen, for the first time. */
  readonly onReady: (url: string) => void;
  /** A worker cannot start, and none ever did: starting again would not help. */
  readonly onFailed: (message: string, exitCode: number) => void;
}

/** Starts workers, kills those that hang, restarts dead ones, and frees their leases. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #seats: Seat[];
  readonly #freeing = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();
  readonly #totals: Totals;
  #everReady = false;
  #stopping = false;
  #onGone = () => {};

  constructor(options: SupervisorOptions) {
    this.#totals = new Totals(options.clock);
    this.#options = { ...options, log: this.#totals.counted(options.log) };
    this.#seats = Array.from({ length: options.workers }, (_, at) => ({
      number: at + 1,
      startedAtMs: 0,
      ready: false,
      deaths: 0,
    }));
  }

  /** With the first worker, which has found everything sound and waits. */
  start(first: Worker): void {
    const [its, ...others] = this.#seats as [Seat, ...Seat[]];
    this.#seat(its, first);
    const serve: ParentMessage = { lull: "serve" };
    first.send(serve, () => {});
    for (const seat of others) this.#fill(seat);
  }

  /**
   * Asks every worker to stop; kills those that are still there after grace and margin. Tells whether all
   * stopped by themselves.
   */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    const gone = new Promise<true>((resolve) => {
      this.#onGone = () => resolve(true);
    });
    for (const { worker } of this.#seats) worker?.process.kill("SIGTERM");
    this.#tellWhenGone();
    const margin = new AbortController();
    const late = this.#options.clock
      .sleep(this.#options.graceMs + STOP_MARGIN_MS, margin.signal)
      .then(() => false as const);
    const inTime = await Promise.race([gone, late]);
    margin.abort();
    if (!inTime) this.kill();
    await gone;
    this.#ending.abort();
    await Promise.allSettled(this.#freeing);
    return inTime;
  }

  /** At once, without asking: their work is safe in the store. */
  kill(): void {
    this.#stopping = true;
    for (const { worker } of this.#seats) worker?.process.kill("SIGKILL");
  }

  #fill(seat: Seat): void {
    const { port, startedAtMs } = this.#options;
    const env = { [SHARED_PORT]: port, [WORKER_NUMBER]: seat.number, [SERVICE_STARTED]: startedAtMs };
    this.#seat(seat, cluster.fork(env));
  }

  #seat(seat: Seat, worker: Worker): void {
    const { clock, log } = this.#options;
    Object.assign(seat, { worker, holder: undefined, startedAtMs: clock.nowMs(), ready: false });
    log("debug", "worker.started", { worker: seat.number, pid: worker.process.pid });
    worker.on("message", (message: unknown) => {
      if (!isWorkerMessage(message)) return;
      this.#heard(seat, message);
      this.#heardCounts(worker, message);
    });
    worker.once("exit", (code, signal) => {
      this.#totals.left(worker);
      this.#left(seat, code, signal);
    });
    // It could not even be started: no memory, no place for one more process. It has no exit then.
    worker.once("error", (error) => {
      log("error", "worker.failed", { worker: seat.number, reason: tellable(error) });
      if (worker.process.pid === undefined) this.#left(seat, null, null);
    });
    seat.watch = this.#watch(seat, worker);
  }

  /** Also while it stops: a blocked or frozen worker does not hear that it should. */
  #watch({ number }: Seat, worker: Worker): Watch | undefined {
    const { hungMs, clock, log } = this.#options;
    if (hungMs === 0) return undefined;
    const ping: ParentMessage = { lull: "ping" };
    return watch({
      hungMs,
      clock,
      // A worker that cannot be asked any more is about to exit.
      ask: () => void worker.send(ping, () => {}),
      onHung: (silentMs) => {
        log("error", "worker.hung", { worker: number, pid: worker.process.pid, silentMs });
        // Nothing else ends a process that is blocked or stopped.
        worker.process.kill("SIGKILL");
      },
    });
  }

  #heard(seat: Seat, message: WorkerMessage): void {
    if (message.lull === "identity") seat.holder = message.holder;
    if (message.lull === "ready") this.#ready(seat, message.url);
    if (message.lull === "pong") seat.watch?.heard(message);
    if (message.lull === "failed") this.#failed(seat, message.message, message.exitCode);
  }

  #heardCounts(worker: Worker, message: WorkerMessage): void {
    if (message.lull === "counts") this.#totals.heard(worker, message.series, message.id);
    if (message.lull === "pong" && message.series) this.#totals.heard(worker, message.series);
    if (message.lull === "total") void this.#tellTotals(worker, message.id);
  }

  async #tellTotals(asker: Worker, id: number): Promise<void> {
    const up = this.#seats.flatMap(({ ready, worker }) => (ready && worker?.isConnected() ? [worker] : []));
    const counted = await this.#totals.gather(up);
    const series = { ...counted, lull_workers: this.#seats.length, lull_workers_up: up.length };
    const answer: ParentMessage = { lull: "totals", id, series };
    // One that died meanwhile needs no answer.
    if (asker.isConnected()) asker.send(answer, () => {});
  }

  #ready(seat: Seat, url: string): void {
    seat.ready = true;
    this.#options.log("info", "worker.ready", { worker: seat.number, pid: seat.worker?.process.pid });
    if (this.#everReady || !this.#seats.every(({ ready }) => ready)) return;
    this.#everReady = true;
    this.#options.onReady(url);
  }

  #failed(seat: Seat, message: string, exitCode: number): void {
    this.#options.log("error", "worker.failed", { worker: seat.number, reason: message });
    if (!this.#everReady && !this.#stopping) this.#options.onFailed(message, exitCode);
  }

  #left(seat: Seat, code: number | null, signal: string | null): void {
    seat.watch?.stop();
    const pid = seat.worker?.process.pid;
    // One that stopped as it was asked to has given back what it held.
    if (!this.#stopping || code !== 0) this.#free(seat);
    seat.worker = undefined;
    seat.ready = false;
    if (this.#stopping) this.#tellWhenGone();
    else this.#startAgain(seat, { pid, code: code ?? undefined, signal: signal ?? undefined });
  }

  #startAgain(seat: Seat, end: WorkerEnd): void {
    const { clock, log } = this.#options;
    const livedMs = clock.nowMs() - seat.startedAtMs;
    seat.deaths = deathsInARow(seat.deaths, livedMs);
    const delayMs = restartDelayMs(seat.deaths);
    log("error", "worker.died", { worker: seat.number, ...end, livedMs, delayMs });
    clock.after(delayMs, () => {
      if (!this.#stopping) this.#fill(seat);
    });
  }

  /** The process is certainly dead, so its customers need not wait for its leases to lapse. */
  #free({ holder, number }: Seat): void {
    if (holder === undefined) return;
    const freeing = this.#freeAll(holder, number);
    this.#freeing.add(freeing);
    void freeing.then(() => this.#freeing.delete(freeing));
  }

  async #freeAll(holder: string, worker: number): Promise<void> {
    const { clock, log } = this.#options;
    let free = this.#freeBySibling(holder);
    for (const [look, waitMs] of FREE_AFTER_MS.entries()) {
      await clock.sleep(waitMs, this.#ending.signal);
      if (look > 0 && this.#ending.signal.aborted) return;
      const leases = await free().catch((error: unknown) => {
        log("error", "worker.leases-not-freed", { worker, reason: tellable(error) });
        free = () => freeAlone(holder);
        return undefined;
      });
      if (leases !== undefined && (look === 0 || leases > 0))
        log("info", "worker.leases-freed", { worker, leases });
      if (look > 0 && leases === 0) return;
    }
  }

  /** Or by a process of its own, where no other worker is there to do it. */
  #freeBySibling(holder: string): () => Promise<number> {
    return () => {
      const sibling = this.#seats.find(({ ready, worker }) => ready && worker?.isConnected())?.worker;
      return sibling && !this.#stopping ? freeBySibling(sibling, holder) : freeAlone(holder);
    };
  }

  #tellWhenGone(): void {
    if (this.#seats.every(({ worker }) => worker === undefined)) this.#onGone();
  }
}
