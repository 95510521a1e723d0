/** What a peer is told by the bench, in its environment. */
export interface PeerSettings {
  readonly port: number;
  readonly windowMs: number;
  readonly fakesUrl: string;
  /** The socket of Redis. */
  readonly redis: string;
  /** How soon the jobs of a process that died are found. */
  readonly recoveryMs: number;
}

/** BullMQ's own. A shorter one has busy jobs taken for dead, and run a second time beside the first. */
const RECOVERY_MS = 30_000;

/** As many turns at once as a worker of Lull takes by default, for every peer. */
export const TURNS_AT_ONCE = 50;

export function peerSettings(): PeerSettings {
  const { PORT, BENCH_WINDOW_MS, BENCH_FAKES_URL = "", BENCH_REDIS = "", BENCH_RECOVERY_MS } = process.env;
  return {
    port: Number(PORT),
    windowMs: Number(BENCH_WINDOW_MS),
    fakesUrl: BENCH_FAKES_URL,
    redis: BENCH_REDIS,
    recoveryMs: Number(BENCH_RECOVERY_MS ?? RECOVERY_MS),
  };
}
