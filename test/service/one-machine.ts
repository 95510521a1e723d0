import { readFile } from "node:fs/promises";
import type { LullProcess } from "../lull-process.ts";
import type { Platform, RunningService } from "./platform.ts";
import { surroundings } from "./surroundings.ts";

/** `lull start` with SQLite: a parent, its workers and a file. */
export const oneMachine: Platform = {
  batchMessagesMax: 500,
  // The parent knows that a worker is dead: no turn waits for its lease.
  healsSoon: { LULL_LEASE_SECONDS: "600", LULL_SETTLE_SECONDS: "4" },
  outlastsSoon: { LULL_LEASE_SECONDS: "2", LULL_SETTLE_SECONDS: "1" },
  tellsStale: true,
  crowd: 10_000,
  crowdSeconds: "12",
  async start(environment, workers): Promise<RunningService> {
    const at = await surroundings(environment);
    let service = await at.start(workers);
    return {
      ...at,
      paceMs: 25,
      hasMetrics: true,
      get events() {
        return service.events;
      },
      async holder() {
        const pid = await holderOf(service);
        return { kill: (signal) => void process.kill(pid, signal) };
      },
      async crash() {
        service.kill("SIGKILL");
        await service.gone();
        service = await at.start(workers);
      },
      peakMegabytes: () => peakMegabytes(service.child.pid),
    };
  },
};

/** The process number of the worker that took the first lease. */
async function holderOf(service: LullProcess): Promise<number> {
  const taken = await service.event("a lease", ({ event }) => event === "lease.taken");
  const ready = service.events.find(
    ({ event, worker }) => event === "worker.ready" && worker === taken.worker,
  );
  return Number(ready?.pid);
}

/** As the kernel counts it. */
async function peakMegabytes(parent: number | undefined): Promise<number> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8").catch(() => "");
  return Math.max(0, ...(await Promise.all(children.split(" ").map(peakMegabytesOf))));
}

export async function peakMegabytesOf(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
