import type { Io } from "../io.ts";

export interface Announced {
  readonly url: string;
  readonly host: string;
  readonly json: boolean;
}

/**
 * The one line on stdout, which other programs wait for. It shows the host that is listened on: `localhost`
 * would hide that others can reach it.
 */
export function announce(io: Io, { url, host, json }: Announced): void {
  const shown = new URL(url).hostname === "localhost" ? url.replace("localhost", inUrl(host)) : url;
  io.out(json ? JSON.stringify({ listening: shown }) : `lull listening on ${shown}`);
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
