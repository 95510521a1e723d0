/** The machine's own clock of all its processes: what one of them noted can be compared with another's. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

export function sleepUntil(atMs: number): Promise<void> {
  return sleep(atMs - monotonicMs());
}
