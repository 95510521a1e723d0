import type { ServerSettings } from "../config/load.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { Service } from "../runtime/service.ts";

/** The most that is read of a reason: our own is a line. */
const REASON_LENGTH_MAX = 1_000;
const TOTAL = /^(lull_workers|lull_workers_up) (\d+)$/gm;
const REFUSED = /^lull_webhooks_refused_lately\{channel="([^"]+)",code="([A-Z_]+|other)"\} (\d+)$/gm;

/** What answers on the configured port. */
export type RunningService =
  | { readonly kind: "none" }
  | { readonly kind: "silent" }
  | { readonly kind: "unready"; readonly why: string }
  | ({ readonly kind: "ready" } & Told);

/** Left out by a service that does not know our token. */
export interface Told {
  readonly workers?: Workers;
  readonly refusedWebhooks?: readonly RefusedWebhooks[];
}

export interface Workers {
  readonly configured: number;
  readonly up: number;
}

/** In the last hour, by all workers. */
export interface RefusedWebhooks {
  readonly channel: string;
  readonly code: string;
  readonly count: number;
}

type Asked = Pick<ServerSettings, "host" | "port">;
type Asking = Pick<Service, "apiToken" | "secrets">;

/** Asks the service that runs here, with the token that is configured here. */
export async function askService(
  { host, port }: Asked,
  { apiToken, secrets }: Asking,
  signal: AbortSignal,
): Promise<RunningService> {
  if (port === 0) return { kind: "none" };
  const at = placeOf({ host, port });
  const ready = await askReady(at, signal);
  if (ready.kind !== "ready") return ready;
  return { kind: "ready", ...(await askCounts(at, await tokenOf(secrets, apiToken), signal)) };
}

async function askReady(at: string, signal: AbortSignal): Promise<RunningService> {
  try {
    const response = await fetch(`${at}/readyz`, asking(signal));
    const { status, reason } = ((await response.json()) ?? {}) as { status?: unknown; reason?: unknown };
    if (status === "ready") return { kind: "ready" };
    if (status !== "unavailable") return { kind: "none" };
    return { kind: "unready", why: String(reason).slice(0, REASON_LENGTH_MAX) };
  } catch {
    // Nothing listens there, or what does is not ours.
    return signal.aborted ? { kind: "silent" } : { kind: "none" };
  }
}

export function placeOf({ host, port }: Asked): string {
  return `http://${reachable(host)}:${port}`;
}

/** Where to reach a service that listens on every address. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Nothing where this caller is not told: then the token is another service's, or there is none. */
async function askCounts(at: string, token: string | undefined, signal: AbortSignal): Promise<Told> {
  try {
    const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const response = await fetch(`${at}/metrics`, asking(signal, headers));
    const text = await response.text();
    const told = new Map([...text.matchAll(TOTAL)].map(([, name, value]) => [name, Number(value)]));
    const [configured, up = 0] = [told.get("lull_workers"), told.get("lull_workers_up")];
    if (configured === undefined) return {};
    return { workers: { configured, up }, refusedWebhooks: refusedIn(text) };
  } catch {
    return {};
  }
}

/** Most of them first. */
function refusedIn(text: string): RefusedWebhooks[] {
  return [...text.matchAll(REFUSED)]
    .map(([, channel = "", code = "", count]) => ({ channel, code, count: Number(count) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count);
}

function asking(signal: AbortSignal, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { headers: { connection: "close", ...headers }, redirect: "manual", signal };
}

export async function tokenOf(secrets: Secrets, reference: Service["apiToken"]): Promise<string | undefined> {
  return reference === undefined ? undefined : secrets.get(reference).catch(() => undefined);
}
