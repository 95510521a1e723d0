import { type Finding, fail, ok } from "./finding.ts";

/** The most that is read of an answer: our own is a line. */
const REASON_LENGTH_MAX = 1_000;

/**
 * What a service that runs here says of itself. It may have a database open that is not at its path any more, which nobody else can
 * see. Nothing is said where none answers: `doctor` is asked before a start, too.
 */
export async function checkService(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Finding[]> {
  if (port === 0) return [];
  try {
    const url = `http://${addressOf(host)}:${port}/readyz`;
    const response = await fetch(url, {
      headers: { connection: "close" },
      redirect: "manual",
      signal,
    });
    const { status, reason } = ((await response.json()) ?? {}) as { status?: unknown; reason?: unknown };
    if (status === "ready") return [ok("service", `one answers on port ${port}, and is ready`)];
    if (status !== "unavailable") return [];
    const said = String(reason).slice(0, REASON_LENGTH_MAX);
    return [fail("service", `one answers on port ${port}, and is not ready: ${said}`)];
  } catch {
    // Nobody, or not one of ours.
    return [];
  }
}

/** Where to reach who listens on every address. */
function addressOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
