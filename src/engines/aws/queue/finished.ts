import type { ReceivedTrigger, Triggers } from "./triggers.ts";

/**
 * Deletes finished triggers while others of their batch are still looked at: one that waited for a slow
 * neighbour would be delivered again, and soon be taken for poison. Each request deletes all that were
 * finished meanwhile.
 */
export class Finished {
  readonly #triggers: Pick<Triggers, "done">;
  #waiting: ReceivedTrigger[] = [];
  #deleting: Promise<void> | undefined;

  constructor(triggers: Pick<Triggers, "done">) {
    this.#triggers = triggers;
  }

  add(received: readonly ReceivedTrigger[]): void {
    this.#waiting.push(...received);
    if (this.#deleting !== undefined) return;
    this.#deleting = this.#deleteAll();
    // `deleted` waits for it at the end; until then a rejection must not count as unhandled.
    this.#deleting.catch(() => {});
  }

  /** Resolves when all added triggers are deleted. */
  async deleted(): Promise<void> {
    await this.#deleting;
  }

  async #deleteAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#triggers.done(this.#waiting.splice(0));
    this.#deleting = undefined;
  }
}
