import { InvalidRequest } from "../errors.ts";
import type { Channel } from "../ports/channel.ts";
import { byName } from "./by-name.ts";

/** The channel that a caller named. */
export function knownChannel(channels: Readonly<Record<string, Channel>>, name: string): Channel {
  const channel = byName(channels, name);
  if (channel) return channel;
  throw new InvalidRequest(`there is no channel of this name; there are ${Object.keys(channels).join(", ")}`);
}
