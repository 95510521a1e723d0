import type { Channel } from "../../ports/channel.ts";
import { isLoopbackAddress, isLoopbackHost } from "../../wire/request-origin.ts";
import { type CheckResult, warn } from "./check-result.ts";

/**
 * A port that other machines may reach. A firewall, or what a container publishes, decides which: we cannot
 * see it.
 */
export function checkHost(host: string): CheckResult[] {
  return isHere(host) ? [] : [warn("port", outside(host))];
}

function isHere(host: string): boolean {
  return isLoopbackHost(host) || isLoopbackAddress(host);
}

function outside(host: string): string {
  return (
    `it listens on ${host}, and not for this machine alone: ` +
    "a caller who reaches that port goes around the proxy in front of it, " +
    "and tokens and texts travel there in clear text. " +
    "Listen on 127.0.0.1 (LULL_HOST), or see that a firewall, or what a container publishes, " +
    "lets the proxy alone in"
  );
}

/**
 * Channels that trust callers on this machine, on a port that other machines may reach: a container's, or a
 * machine's in a network.
 */
export function checkOpenPort(host: string, channels: Readonly<Record<string, Channel>>): CheckResult[] {
  if (isHere(host)) return [];
  return Object.entries(channels)
    .filter(([, { isForThisMachine }]) => isForThisMachine)
    .map(([name]) => warn(`channel ${name}`, inWords(name, host)));
}

function inWords(name: string, host: string): string {
  return (
    `visitors of ${name} are not signed, and it listens on ${host}: ` +
    "a caller who reaches that port may write and read as any visitor, by calling it localhost. " +
    `Set LULL_WEB_SECRET (\`secret\`), listen on 127.0.0.1, or set LULL_WEB_UNSIGNED=1 (\`unsigned\`) ` +
    "if that does not matter"
  );
}
