import type { ServiceClock } from "../shared/service-clock.ts";
import type { Connection } from "./connection.ts";
import { type LogEntry, unsent } from "./message-log.ts";
import { retryDelayMs } from "./retry-delay.ts";
import type { VisitorStore } from "./visitor-store.ts";

interface Parts {
  readonly visitors: VisitorStore;
  readonly connection: Connection;
  readonly clock: ServiceClock;
  /** The service has said yes or no to a message. */
  answered(): void;
  changed(): void;
}

/** To a message; what is wrong with it, where it is refused. */
interface Answer {
  readonly conversation_id?: string;
  readonly detail?: string;
  readonly code?: string;
}

/** `again` where time may help, after what the service asks for. */
type Delivery = { readonly kind: "answered" } | { readonly kind: "again"; readonly afterMs: number };

/** The way out: one message at a time, in order, until the service has acknowledged it. */
export class Outbox {
  /** When what waits is tried again; 0 while nothing is wrong. */
  retryAtMs = 0;
  readonly #parts: Parts;
  #isSending = false;
  #failures = 0;
  #stopRetry = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#stopRetry();
    // Nothing may run between the last look and the end: what is said there would wait for the next message.
    for (let entry = this.#next(); entry; entry = this.#next()) {
      if (!(await this.#isAnswered(entry))) break;
    }
    this.#isSending = false;
    this.#parts.changed();
  }

  /** Forgets failures: another visitor's messages wait for nothing. */
  reset(): void {
    this.#stopRetry();
    this.#failures = 0;
    this.retryAtMs = 0;
  }

  async #isAnswered(entry: LogEntry): Promise<boolean> {
    const { visitors, clock, answered } = this.#parts;
    const delivery = await this.#deliver(entry).catch((): Delivery => ({ kind: "again", afterMs: 0 }));
    if (delivery.kind === "again") {
      this.#retryLater(delivery.afterMs);
      return false;
    }
    this.reset();
    entry.ackedAt = clock.serviceNowMs();
    visitors.save();
    answered();
    return true;
  }

  #next(): LogEntry | undefined {
    return unsent(this.#parts.visitors.current.log)[0];
  }

  /** The id stays the same on every try: a message whose acknowledgement got lost is not said twice. */
  async #deliver(entry: LogEntry): Promise<Delivery> {
    const { visitors, connection } = this.#parts;
    const { visitor } = visitors.current;
    const response = await connection.say({ id: entry.id, sender: visitor, text: entry.text });
    if (response.status === 429 || response.status === 408 || response.status >= 500)
      return { kind: "again", afterMs: Number(response.headers.get("retry-after")) * 1000 };
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (response.ok) {
      entry.state = "acked";
      if (visitor === visitors.current.visitor) visitors.rememberConversation(answer.conversation_id);
    } else {
      entry.state = "refused";
      entry.why = `not delivered: ${answer.detail || answer.code || `status ${response.status}`}`;
    }
    return { kind: "answered" };
  }

  #retryLater(afterMs: number): void {
    const delayMs = retryDelayMs(this.#failures, afterMs, Math.random());
    this.#failures += 1;
    this.retryAtMs = this.#parts.clock.nowMs() + delayMs;
    this.#stopRetry = this.#parts.clock.after(delayMs, () => void this.send());
  }
}
