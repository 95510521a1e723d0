import { monotonicMs } from "./clock.ts";
import type { Server } from "./servers.ts";

/** What the server's processes used while the load ran. */
export interface Samples {
  /** Between the first and the last moment that counts. */
  readonly cpuMs: number;
  readonly redisCpuMs: number;
  readonly overMs: number;
  readonly fromAtMs: number;
  readonly rssBytesMax: number;
}

const PACE_MS = 500;

export class Sampler {
  readonly #server: () => Server;
  #timers: NodeJS.Timeout[] = [];
  #first: { atMs: number; cpuMs: number; redisCpuMs: number } | undefined;
  #last: { atMs: number; cpuMs: number; redisCpuMs: number } | undefined;
  #rssBytesMax = 0;

  constructor(server: () => Server) {
    this.#server = server;
  }

  start(countedFromAtMs: number): void {
    const begin = () => {
      this.#look();
      this.#first = this.#last;
    };
    this.#timers = [
      setInterval(() => this.#look(), PACE_MS),
      setTimeout(begin, Math.max(0, countedFromAtMs - monotonicMs())),
    ];
  }

  /** Looks once more: a second call changes nothing. */
  stop(): void {
    if (this.#timers.length === 0) return;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.#look();
  }

  get samples(): Samples {
    const [first, last] = [this.#first, this.#last];
    if (first === undefined || last === undefined)
      return { cpuMs: 0, redisCpuMs: 0, overMs: 0, fromAtMs: 0, rssBytesMax: this.#rssBytesMax };
    return {
      cpuMs: last.cpuMs - first.cpuMs,
      redisCpuMs: last.redisCpuMs - first.redisCpuMs,
      overMs: last.atMs - first.atMs,
      fromAtMs: first.atMs,
      rssBytesMax: this.#rssBytesMax,
    };
  }

  #look(): void {
    const { cpuMs, redisCpuMs, rssBytes } = this.#server().usage();
    this.#last = { atMs: monotonicMs(), cpuMs, redisCpuMs };
    this.#rssBytesMax = Math.max(this.#rssBytesMax, rssBytes);
  }
}
