/** Time as a parameter: production hands in the system's, tests hand in one they move by hand. */
export interface Clock {
  nowMs(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts. It never rejects: being woken early is an answer. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms`. The returned function takes it back. */
  after(ms: number, run: () => void): () => void;
}
