import { isLoopbackAddress, isLoopbackHost } from "../../core/this-machine.ts";
import type { Channel } from "../../ports/channel.ts";
import { type Finding, warn } from "./finding.ts";

/** Channels that trust who is on this machine, on a port that others reach: a container's, or that of a machine in a network. */
export function checkOpenPort(host: string, channels: Readonly<Record<string, Channel>>): Finding[] {
  if (isLoopbackHost(host) || isLoopbackAddress(host)) return [];
  return Object.entries(channels)
    .filter(([, { isForThisMachine }]) => isForThisMachine)
    .map(([name]) => warn(`channel ${name}`, inWords(name, host)));
}

function inWords(name: string, host: string): string {
  return `visitors of ${name} are not signed, and it listens on ${host}: whoever reaches that port may write and read as anybody, by calling it localhost. Set LULL_WEB_SECRET (\`secret\`), listen on 127.0.0.1, or set LULL_WEB_UNSIGNED=1 (\`unsigned\`) if that does not matter`;
}
