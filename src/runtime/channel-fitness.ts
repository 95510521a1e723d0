import { ConfigError } from "../errors.ts";
import type { Channel } from "../ports/channel.ts";

/**
 * Whether channels may be served as they are configured. Asked before the first webhook of each, whoever brings it: a server of ours, a
 * function, or a program that mounts `fetch` and starts nothing. Once it is fit it stays so: its secret is not read again for it.
 */
export class ChannelFitness {
  readonly #channels: Readonly<Record<string, Channel>>;
  readonly #asked = new Map<string, Promise<void>>();

  constructor(channels: Readonly<Record<string, Channel>>) {
    this.#channels = channels;
  }

  async requireAll(): Promise<void> {
    for (const name of Object.keys(this.#channels)) await this.require(name);
  }

  require(name: string): Promise<void> {
    const before = this.#asked.get(name);
    if (before !== undefined) return before;
    const asked = this.#ask(name);
    this.#asked.set(name, asked);
    // What keeps it from being served may be put right while we run.
    asked.catch(() => this.#asked.delete(name));
    return asked;
  }

  async #ask(name: string): Promise<void> {
    const why = await this.#channels[name]?.unfit?.();
    if (why !== undefined) throw new ConfigError(`channel ${name}: ${why}`);
  }
}
