import { ConfigError, tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import { DEFAULT_PROJECT } from "../model/project.ts";
import type { Channel } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import { answerWithin } from "../wire/deadline.ts";

/** A secret that never comes must not keep the service from starting, nor its channel unfit for good. */
const ASKED_MS_MAX = 10_000;

interface FitnessParts {
  readonly channels: Readonly<Record<string, Channel>>;
  /** The project that a channel is listed under, if it is under one. */
  readonly projectOf: (channel: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Whether channels may be served as they are configured. Checked before the first webhook of each channel, on
 * every way in: our own server, a function, or a program that mounts `fetch` and starts nothing. A channel
 * that passed once is not checked again, so its secret is not read again for this.
 */
export class ChannelFitness {
  readonly #parts: FitnessParts;
  readonly #asked = new Map<string, Promise<void>>();
  /** Why a channel stands apart, as it was told last. */
  readonly #told = new Map<string, string>();

  constructor(parts: FitnessParts) {
    this.#parts = parts;
  }

  /** Rejects when that channel must not be served as it is, or without a name when nothing may be served. */
  require(name?: string): Promise<void> {
    return name === undefined ? this.#requireAll() : this.#requireOne(name);
  }

  /**
   * One tenant's mistake is that tenant's: its channel is refused, and the others are served. Where there is
   * one party only, or no channel is left, nothing starts.
   */
  async #requireAll(): Promise<void> {
    const names = Object.keys(this.#parts.channels);
    const checked = await Promise.allSettled(names.map((name) => this.#requireOne(name)));
    const unfit = checked.flatMap((check, at) =>
      check.status === "rejected" ? [{ name: names[at]!, reason: check.reason as unknown }] : [],
    );
    const ours = unfit.find(({ name }) => !this.#isOneOfSeveral(name));
    const [first] = unfit;
    if (first === undefined) return;
    if (ours !== undefined || unfit.length === names.length) throw (ours ?? first).reason;
    for (const { name, reason } of unfit) this.#tell(name, tellable(reason));
  }

  #isOneOfSeveral(name: string): boolean {
    const { channels, projectOf } = this.#parts;
    const parties = new Set(Object.keys(channels).map((each) => projectOf(each) ?? DEFAULT_PROJECT));
    return parties.size > 1 && projectOf(name) !== undefined;
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
    const { channels, clock, log } = this.#parts;
    const told = channels[name]?.unfit?.();
    const why = told instanceof Promise ? await answerWithin(clock, ASKED_MS_MAX, () => told) : told;
    if (why !== undefined) throw new ConfigError(`channel ${name}: ${why}`);
    if (this.#told.delete(name)) log("info", "channel.fit", this.#about(name));
  }

  #tell(name: string, reason: string): void {
    if (this.#told.get(name) === reason) return;
    this.#told.set(name, reason);
    this.#parts.log("error", "channel.unfit", { ...this.#about(name), reason });
  }

  #about(channel: string) {
    const project = this.#parts.projectOf(channel);
    return { channel, ...(project !== undefined && { project }) };
  }
}
