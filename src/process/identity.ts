import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Who holds a lease: machine, process id, when that process started, the namespace of its id, and a random
 * part. The start time tells a process from a later one with the same id. The random part alone makes it
 * unique among all containers in which a process is number 1.
 */
export function processIdentity(): string {
  const { pid } = process;
  return [hostname(), pid, startOf(pid) ?? "?", bootAndNamespace(), randomBytes(8).toString("hex")].join("/");
}

/** True only if it is certain: same machine, and no such process runs any more. */
export function isKnownDead(identity: string): boolean {
  const [machine, number, started, where = "?"] = identity.split("/");
  const pid = Number(number);
  if (machine !== hostname() || !Number.isInteger(pid) || pid <= 0) return false;
  const certainty = compare(where, bootAndNamespace());
  if (certainty !== "same") return certainty === "gone";
  if (!isRunning(pid)) return true;
  const start = startOf(pid);
  return start !== undefined && started !== "?" && start !== started;
}

/**
 * Process ids count from 1 in every container, and containers on the host's network have the host's name: an
 * id means something only within its own namespace. No process is left of an earlier boot of this machine,
 * nor of an earlier start of this very container.
 */
function compare(theirs: string, ours: string): "same" | "gone" | "unknown" {
  if (theirs === "?" || ours === "?") return process.platform === "linux" ? "unknown" : "same";
  const [theirBoot, theirSpace] = theirs.split("-");
  const [ourBoot, ourSpace] = ours.split("-");
  if (theirBoot !== ourBoot) return "gone";
  if (theirSpace === ourSpace) return "same";
  return isNamedAfterItself(hostname(), readable("/proc/self/mountinfo")) ? "gone" : "unknown";
}

/** Whether the host name is the container's own id, the default: no other can have it meanwhile. */
export function isNamedAfterItself(host: string, mounts: string): boolean {
  const id = /\/([0-9a-f]{64})\/(?:userdata\/)?hostname \/etc\/hostname /.exec(mounts)?.[1];
  return id !== undefined && host.length >= 12 && id.startsWith(host);
}

function readable(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** This boot of this machine, and this namespace of process ids: `3fa91c07-4026531836`. Only Linux tells. */
function bootAndNamespace(): string {
  try {
    const boot = readable("/proc/sys/kernel/random/boot_id");
    const space = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    if (space === undefined || boot === "") return "?";
    return `${createHash("sha256").update(boot).digest("hex").slice(0, 8)}-${space}`;
  } catch {
    return "?";
  }
}

/** Whether any process with this id runs here. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Start of a process in clock ticks since boot, if the system tells (Linux). A zombie counts as gone. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "zombie" : fields[19];
  } catch {
    return undefined;
  }
}
