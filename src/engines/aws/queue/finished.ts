import type { ReceivedTrigger, Triggers } from "./triggers.ts";

/**
 * Triggers that were dealt with go while others of their batch are still looked at: one that waited for a slow neighbour would be seen
 * again, and soon be taken for poison. As many go at once as were finished meanwhile.
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
    // It is waited for at the end; until then nobody listens.
    this.#deleting.catch(() => {});
  }

  /** Resolves when all that were added are deleted. */
  async deleted(): Promise<void> {
    await this.#deleting;
  }

  async #deleteAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#triggers.done(this.#waiting.splice(0));
    this.#deleting = undefined;
  }
}
