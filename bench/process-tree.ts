import { readdirSync, readFileSync } from "node:fs";

/** What Linux says of a process and of all that it started. Elsewhere nothing is known. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const TICK_MS = 10;
const PAGE_BYTES = 4_096;

export function usageOf(pid: number): Usage {
  return treeOf(pid)
    .map(usageOfOne)
    .reduce((all, one) => ({ cpuMs: all.cpuMs + one.cpuMs, rssBytes: all.rssBytes + one.rssBytes }), {
      cpuMs: 0,
      rssBytes: 0,
    });
}

/** The process itself first, then those that it started, and what they started. */
export function treeOf(pid: number): number[] {
  const parents = new Map(pidsNow().map((each) => [each, Number(fieldsOf(each)[1] ?? 0)]));
  const found = [pid];
  for (const parent of found)
    found.push(...[...parents].filter(([, its]) => its === parent).map(([each]) => each));
  return found;
}

function pidsNow(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function usageOfOne(pid: number): Usage {
  const fields = fieldsOf(pid);
  // Counted from the state on, which follows the name: user and system time, and the pages in memory.
  const [user = 0, system = 0, pages = 0] = [11, 12, 21].map((at) => Number(fields[at] ?? 0));
  return { cpuMs: (user + system) * TICK_MS, rssBytes: pages * PAGE_BYTES };
}

/** None, where it has ended meanwhile. */
function fieldsOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
