import { isLoopbackAddress, isLoopbackHost } from "../../core/this-machine.ts";
import type { Channel } from "../../ports/channel.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** A port that others than this machine reach. Who may, is decided by a firewall or by what a container publishes: we cannot see it. */
export function checkHost(host: string): CheckResult[] {
  return isHere(host) ? [] : [warn("port", outside(host))];
}

function isHere(host: string): boolean {
  return isLoopbackHost(host) || isLoopbackAddress(host);
}

function outside(host: string): string {
  return `it listens on ${host}, and not for this machine alone: a caller who reaches that port goes around the proxy in front of it, and tokens and texts travel there in clear text. Listen on 127.0.0.1 (LULL_HOST), or see that a firewall, or what a container publishes, lets the proxy alone in`;
}

/** Channels that trust who is on this machine, on a port that others reach: a container's, or that of a machine in a network. */
export function checkOpenPort(host: string, channels: Readonly<Record<string, Channel>>): CheckResult[] {
  if (isHere(host)) return [];
  return Object.entries(channels)
    .filter(([, { isForThisMachine }]) => isForThisMachine)
    .map(([name]) => warn(`channel ${name}`, inWords(name, host)));
}

function inWords(name: string, host: string): string {
  return `visitors of ${name} are not signed, and it listens on ${host}: whoever reaches that port may write and read as anybody, by calling it localhost. Set LULL_WEB_SECRET (\`secret\`), listen on 127.0.0.1, or set LULL_WEB_UNSIGNED=1 (\`unsigned\`) if that does not matter`;
}
