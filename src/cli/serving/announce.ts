import type { Call } from "../command.ts";

/**
 * The one line on stdout, which other programs wait for. It shows the host that is listened on: `localhost`
 * would hide that others can reach it.
 */
export function announce(call: Call, url: string, host: string): void {
  const shown = new URL(url).hostname === "localhost" ? url.replace("localhost", inUrl(host)) : url;
  call.io.out(call.json ? JSON.stringify({ listening: shown }) : `lull listening on ${shown}`);
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
