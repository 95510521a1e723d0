import type { Call } from "../command.ts";

/** The one line on stdout: other programs wait for it. */
export function announce(call: Call, url: string): void {
  call.io.out(call.json ? JSON.stringify({ listening: url }) : `lull listening on ${url}`);
}
