import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/** What has to end with the bench: nothing else would end it when the bench is interrupted. */
interface Ending {
  /** At once, and without waiting for it. */
  end(): void;
}

const running = new Set<Ending>();
const folders = new Set<string>();

process.once("exit", () => {
  for (const each of running) each.end();
  for (const folder of folders) remove(folder);
});

export function started(process: Ending): void {
  running.add(process);
}

export function ended(process: Ending): void {
  running.delete(process);
}

export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  folders.delete(folder);
  remove(folder);
}

/** A process that was just killed may still have made a file in it. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** With the exit code that shells give to a process that a signal ended. */
export function exitOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
