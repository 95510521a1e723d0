import { existsSync, realpathSync } from "node:fs";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

/** The most that is read of an answer: our own is a line. */
const REASON_LENGTH_MAX = 1_000;

/**
 * What a service that runs here says of itself. It may have a database open that is no longer at its path,
 * which no other process can see. Says nothing where none listens: `doctor` also runs before a start.
 */
export async function checkService(
  { host, port, db }: { readonly host: string; readonly port: number; readonly db?: string | undefined },
  signal: AbortSignal,
): Promise<CheckResult[]> {
  if (port === 0) return [];
  // Checked before this command opens the database itself.
  const isElsewhere = db !== undefined && isClosed(db);
  try {
    const url = `http://${addressOf(host)}:${port}/readyz`;
    const response = await fetch(url, {
      headers: { connection: "close" },
      redirect: "manual",
      signal,
    });
    const { status, reason } = ((await response.json()) ?? {}) as { status?: unknown; reason?: unknown };
    if (status === "ready")
      return [isElsewhere ? warn("service", another(port, db)) : ok("service", ready(port))];
    if (status !== "unavailable") return [];
    const said = String(reason).slice(0, REASON_LENGTH_MAX);
    return [fail("service", `one answers on port ${port}, and is not ready: ${said}`)];
  } catch {
    // Nothing listens there, or what does is not ours.
    return signal.aborted ? [fail("service", silent(port))] : [];
  }
}

function silent(port: number): string {
  return `port ${port} accepts and does not answer: the service is frozen, or it is another program`;
}

function ready(port: number): string {
  return `one answers on port ${port}, and is ready; whether it has the same database it was not asked`;
}

/**
 * SQLite keeps its log beside a database while a process has it open. A file that this user may not look at
 * may be open.
 */
function isClosed(db: string): boolean {
  try {
    return !existsSync(`${realpathSync(db)}-wal`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

function another(port: number, db: string): string {
  return (
    `one answers on port ${port}, and is ready, but no process has ${db} open: ` +
    "it is another installation's, or has another LULL_DB"
  );
}

/** Where to reach a service that listens on every address. */
function addressOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
