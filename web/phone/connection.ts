import type { Clock } from "../shared/service-clock.ts";

const REQUEST_MS = 10_000;

interface Parts {
  /** The page's own address: every request stays below it. */
  readonly base: string;
  readonly channel: string;
  readonly clock: Clock;
  /** Empty where the channel asks for no proof. */
  signature(): string;
}

/** The two requests of the page, both to the service that it came from. */
export interface Connection {
  say(message: { readonly id: string; readonly sender: string; readonly text: string }): Promise<Response>;
  feed(query: URLSearchParams): Promise<Response>;
}

export function createConnection({ base, channel, clock, signature }: Parts): Connection {
  async function request(path: string, options: RequestInit = {}): Promise<Response> {
    // A service that takes the request and never answers is given up as well.
    const control = new AbortController();
    const stop = clock.after(REQUEST_MS, () => control.abort());
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (signature() !== "") headers["x-lull-signature"] = signature();
    try {
      const { signal } = control;
      return await fetch(new URL(path, base), { headers, signal, cache: "no-store", ...options });
    } finally {
      stop();
    }
  }

  return {
    say: (message) => request(`webhooks/${channel}`, { method: "POST", body: JSON.stringify(message) }),
    feed: (query) => request(`webhooks/${channel}/feed?${query}`),
  };
}
