import { Worker } from "node:worker_threads";
import { StoreUnavailable } from "../../errors.ts";
import type { Log } from "../../model/log.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StepName, StepResult } from "../embedded/requests.ts";
import { toldOf } from "./failure.ts";
import type { StepReply, TimedRequest } from "./step-request.ts";
import { type GroupReply, resultOf, type StoreOptions } from "./store.ts";
import { announceGroup, NEXT, newRest, SMALL_GROUP_MAX } from "./store-pace.ts";

/** Requests that may wait for the writer. Above that the caller is refused at once, instead of much later. */
const QUEUE_MAX = 20_000;
/** And their characters: a webhook may hold a megabyte. */
const QUEUE_LENGTH_MAX = 64_000_000;
/** A request that waited this long is answered as failed: its caller has given up already. */
const QUEUE_AGE_MS_MAX = 10_000;
/** Two groups with the thread if the second is large: while it commits one, the next is already there. */
const GROUPS_OUT_MAX = 2;
/** Bounds how long one commit may hold up the others. */
const GROUP_MAX = 1_000;
const GROUP_LENGTH_MAX = 4_000_000;

interface Waiting {
  /** The request as it crosses to the thread. */
  readonly text: string;
  readonly askedAtMs: number;
  readonly answer: (reply: StepReply) => void;
  readonly reject: (error: unknown) => void;
}

/** The event loop's end of a store thread: queues, groups, and starts the thread again when it dies. */
export class StoreClient {
  readonly #options: StoreOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onReply: (reply: GroupReply) => void;
  #thread: Worker | undefined;
  #queue: Waiting[] = [];
  /** Characters of all waiting requests. */
  #queuedLength = 0;
  #out: Waiting[][] = [];
  #resting = newRest();
  #flushing = false;
  /** The thread waits for a group. */
  #isAwaited = false;
  #closing: (() => void) | undefined;

  private constructor(options: StoreOptions, clock: Clock, log: Log, onReply: (reply: GroupReply) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#onReply = onReply;
  }

  static async open(
    options: StoreOptions,
    clock: Clock,
    log: Log,
    onReply: (reply: GroupReply) => void,
  ): Promise<StoreClient> {
    const client = new StoreClient(options, clock, log, onReply);
    await client.#startThread();
    return client;
  }

  run<N extends StepName>(request: TimedRequest<N>): Promise<StepResult<N>> {
    if (this.#closing) return Promise.reject(new StoreUnavailable("the database is closed"));
    if (this.#queue.length >= QUEUE_MAX || this.#queuedLength >= QUEUE_LENGTH_MAX)
      return Promise.reject(new StoreUnavailable("too many requests are waiting"));
    return new Promise((resolve, reject) => {
      // Serialised here, where a request that cannot be serialised fails only its own caller.
      const text = JSON.stringify(request);
      const answer = (reply: StepReply) => resolve(resultOf<N>(reply));
      this.#queue.push({ text, askedAtMs: request.nowMs, answer, reject });
      this.#queuedLength += text.length;
      this.#flushSoon();
    });
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      this.#closeWhenDone();
    });
    await this.#thread?.terminate();
  }

  /** After this turn of the event loop: requests that arrive until then join the group. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.length > 0) {
      if (!this.#thread) {
        void this.#startThread().catch((error) => this.#rejectAll(error));
        return;
      }
      if (!this.#mayGoOut()) return;
      const group = this.#freshGroup();
      if (group.length === 0) {
        // All of it had waited too long, and no reply will come that could end a closing store.
        this.#closeWhenDone();
        continue;
      }
      announceGroup(this.#resting);
      this.#isAwaited = false;
      this.#out.push(group);
      this.#thread.postMessage(`[${group.map(({ text }) => text).join(",")}]`);
    }
  }

  #mayGoOut(): boolean {
    const isLarge = this.#queue.length > SMALL_GROUP_MAX;
    return this.#isAwaited || (isLarge && this.#out.length < GROUPS_OUT_MAX);
  }

  #freshGroup(): Waiting[] {
    const oldestAtMs = this.#clock.nowMs() - QUEUE_AGE_MS_MAX;
    const group = this.#nextGroup();
    const isLate = ({ askedAtMs }: Waiting) => askedAtMs < oldestAtMs;
    for (const { reject } of group.filter(isLate)) reject(new StoreUnavailable("the write waited too long"));
    return group.filter((waiting) => !isLate(waiting));
  }

  /** As many as fit, always at least one. */
  #nextGroup(): Waiting[] {
    let length = 0;
    const tooMany = this.#queue.findIndex(({ text }, at) => {
      length += text.length;
      return at >= GROUP_MAX || (at > 0 && length > GROUP_LENGTH_MAX);
    });
    const group = this.#queue.splice(0, tooMany === -1 ? this.#queue.length : tooMany);
    for (const { text } of group) this.#queuedLength -= text.length;
    return group;
  }

  #receive(reply: GroupReply): void {
    const group = this.#out.shift() ?? [];
    this.#onReply(reply);
    group.forEach(({ answer, reject }, at) => {
      try {
        answer(reply.replies[at]!);
      } catch (error) {
        reject(error);
      }
    });
    this.#closeWhenDone();
  }

  #startThread(): Promise<void> {
    // In development the sources run as they are; the built package has .js files.
    const entry = import.meta.url.endsWith(".ts") ? "./store-thread.ts" : "./store-thread.js";
    this.#resting = newRest();
    const thread = new Worker(new URL(entry, import.meta.url), {
      workerData: { options: this.#options, resting: this.#resting },
      execArgv: threadArguments(),
    });
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      thread.on("message", (message: string) => {
        // Node may tell of a thread's death before it delivers what the thread had said.
        if (this.#thread !== thread) return;
        if (message === NEXT) {
          resolve();
          this.#isAwaited = this.#out.length === 0;
          this.#flush();
        } else this.#receive(JSON.parse(message) as GroupReply);
      });
      thread.on("error", (error) => {
        this.#died(thread, error);
        reject(new StoreUnavailable(`the database could not be opened: ${error.message}`, error));
      });
      thread.on("exit", () => {
        this.#died(thread, new StoreUnavailable("the thread ended"));
        reject(new StoreUnavailable("the database could not be opened: its thread ended"));
      });
    });
  }

  /** Requests with the thread may or may not be on disk: each caller gets an error, and tries again. */
  #died(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#isAwaited = false;
    const lost = this.#out.splice(0).flat();
    for (const { reject } of lost) reject(new StoreUnavailable("the database thread died", error));
    if (this.#closing) {
      this.#closeWhenDone();
      return;
    }
    this.#log("error", "store.thread-died", { reason: toldOf(error) });
    this.#flush();
  }

  #rejectAll(error: unknown): void {
    this.#queuedLength = 0;
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #closeWhenDone(): void {
    if (!this.#closing) return;
    const idle = this.#queue.length === 0 && this.#out.length === 0;
    if (!idle && this.#thread) return;
    this.#rejectAll(new StoreUnavailable("the database is closed"));
    this.#thread?.postMessage(null);
    this.#thread?.once("exit", this.#closing);
    if (!this.#thread) this.#closing();
  }
}

/** Loader flags of the parent (a test runner's, say) are not for this thread. */
function threadArguments(): string[] {
  return ["--disable-warning=ExperimentalWarning"];
}
