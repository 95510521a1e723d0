import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Who holds a lease: machine, process, when that process started, and a random part.
 * The start time tells a process from a later one that was given the same number.
 */
export function processIdentity(): string {
  const { pid } = process;
  return [hostname(), pid, startOf(pid) ?? "?", randomBytes(4).toString("hex")].join("/");
}

/** True only when it is certain: same machine, and no such process runs any more. */
export function isKnownDead(identity: string): boolean {
  const [machine, number, started] = identity.split("/");
  const pid = Number(number);
  if (machine !== hostname() || !Number.isInteger(pid) || pid <= 0) return false;
  if (!exists(pid)) return true;
  const start = startOf(pid);
  return start !== undefined && started !== "?" && start !== started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Start of a process in clock ticks since boot, where the system tells (Linux). A zombie counts as gone. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "zombie" : fields[19];
  } catch {
    return undefined;
  }
}
