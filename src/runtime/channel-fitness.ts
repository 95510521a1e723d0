import { ConfigError } from "../errors.ts";
import type { Channel } from "../ports/channel.ts";

/**
 * Whether channels may be served as they are configured. Checked before the first webhook of each channel, on
 * every way in: our own server, a function, or a program that mounts `fetch` and starts nothing. A channel
 * that passed once is not checked again, so its secret is not read again for this.
 */
export class ChannelFitness {
  readonly #channels: Readonly<Record<string, Channel>>;
  readonly #asked = new Map<string, Promise<void>>();

  constructor(channels: Readonly<Record<string, Channel>>) {
    this.#channels = channels;
  }

  /** Rejects when that channel, or else any of them, must not be served as it is. */
  require(name?: string): Promise<void> {
    return name === undefined ? this.#requireAll() : this.#requireOne(name);
  }

  async #requireAll(): Promise<void> {
    for (const each of Object.keys(this.#channels)) await this.#requireOne(each);
  }

  #requireOne(name: string): Promise<void> {
    const before = this.#asked.get(name);
    if (before !== undefined) return before;
    const asked = this.#ask(name);
    this.#asked.set(name, asked);
    // The cause may be repaired while we run, so a failed check is not kept.
    asked.catch(() => this.#asked.delete(name));
    return asked;
  }

  async #ask(name: string): Promise<void> {
    const why = await this.#channels[name]?.unfit?.();
    if (why !== undefined) throw new ConfigError(`channel ${name}: ${why}`);
  }
}
