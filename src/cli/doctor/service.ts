import { existsSync, realpathSync } from "node:fs";
import type { Service } from "../../runtime/service.ts";
import { refusedWebhooksShown } from "../output/refused-webhooks.ts";
import { askService } from "../running-service.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

/**
 * What a service that runs here says of itself. It may have a database open that is no longer at its path,
 * which no other process can see. Says nothing where none listens: `doctor` also runs before a start.
 */
export async function checkService(
  { host, port, db }: { readonly host: string; readonly port: number; readonly db?: string | undefined },
  asking: Pick<Service, "apiToken" | "secrets">,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  if (port === 0) return [];
  // Checked before this command opens the database itself.
  const isElsewhere = db !== undefined && isClosed(db);
  const said = await askService({ host, port }, asking, signal);
  switch (said.kind) {
    case "ready":
      return [
        isElsewhere ? warn("service", another(port, db)) : ok("service", ready(port)),
        ...(said.refusedWebhooks ?? []).map((refused) => warn("webhooks", refusedWebhooksShown(refused))),
      ];
    case "unready":
      return [fail("service", `one answers on port ${port}, and is not ready: ${said.why}`)];
    case "silent":
      return [fail("service", silent(port))];
    case "none":
      return [];
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
