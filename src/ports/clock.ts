/** Time as a parameter: production passes the system's clock, tests pass one that they move themselves. */
export interface Clock {
  nowMs(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. It never rejects: an early wake-up is normal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms`. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}
