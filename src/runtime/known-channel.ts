import { InvalidRequest } from "../errors.ts";
import type { Channel } from "../ports/channel.ts";

/**
 * The channel that a caller named. Names come from outside: `constructor` is no channel, although every
 * object has it.
 */
export function knownChannel(channels: Readonly<Record<string, Channel>>, name: string): Channel {
  const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
  if (channel) return channel;
  throw new InvalidRequest(`there is no channel of this name; there are ${Object.keys(channels).join(", ")}`);
}
