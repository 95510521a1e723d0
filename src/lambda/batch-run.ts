import { type Trigger, triggerFrom } from "../engines/aws/for-functions.ts";
import { LullError, tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";
import type { Service } from "../runtime/service.ts";
import { Slots } from "../runtime/slots.ts";
import type { Budget } from "./deadline.ts";
import type { SqsRecord } from "./invocation.ts";
import type { Trace } from "./tracing.ts";
import type { Visibility } from "./visibility.ts";

export interface BatchRunOptions {
  readonly lull: Pick<Service, "wake" | "settings">;
  readonly visibility: Pick<Visibility, "keepHidden" | "showAfter" | "remove">;
  readonly budget: Budget;
  readonly log: Log;
  readonly clock: Clock;
  readonly trace: Trace;
}

/**
 * A trigger that failed comes again after 5 s, 15 s, 45 s ...: soon after a short failure, and with receives
 * left after a long one.
 */
const AGAIN_SECONDS = 5;
const AGAIN_FACTOR = 3;
const AGAIN_SECONDS_MAX = 900;

const UNREADABLE = "TRIGGER_UNREADABLE";
const NO_SLOT = "NO_SLOT";
const OUT_OF_TIME = "OUT_OF_TIME";

/** One batch within one invocation. */
export class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #stopping = new AbortController();
  readonly #over = Promise.withResolvers<never>();
  readonly #woken = new Map<string, Promise<void>>();
  readonly #running = new Set<SqsRecord>();
  readonly #cancel: readonly (() => void)[];
  /** A batch may be larger than what one process should do at once. */
  readonly #slots: Slots;

  constructor(options: BatchRunOptions) {
    const { lull, visibility, budget, clock } = options;
    const { renewMs, leaseMs, clockSkewMs, concurrency } = lull.settings;
    this.#options = options;
    this.#slots = new Slots(concurrency);
    this.#over.promise.catch(() => {});
    this.#cancel = [
      clock.after(budget.stopMs, () => this.#stopping.abort()),
      clock.after(budget.endMs, () => this.#over.reject(outOfTime())),
      // If we die, the trigger comes again when the lease has lapsed, long before the queue's own timeout.
      visibility.keepHidden(this.#running, renewMs, leaseMs + clockSkewMs),
    ];
  }

  /** Resolves when the record may be deleted, rejects when it has to come again. */
  async handle(record: SqsRecord): Promise<void> {
    this.#running.add(record);
    try {
      await this.#look(record);
      this.#running.delete(record);
      // The event source deletes all of them when the invocation ends. If a neighbour makes it fail, finished
      // triggers would come again and soon count as poison.
      if (this.#running.size > 0) void this.#options.visibility.remove(record);
    } catch (error) {
      this.#running.delete(record);
      await Promise.race([this.#bringAgain(record, error), this.#over.promise]).catch(() => {});
      throw error;
    } finally {
      this.#running.delete(record);
    }
  }

  end(): void {
    for (const cancel of this.#cancel) cancel();
  }

  async #look(record: SqsRecord): Promise<void> {
    const trigger = triggerFrom(record.body);
    if (!trigger) throw new LullError("this trigger cannot be read", { code: UNREADABLE, retry: "never" });
    // Two triggers of one conversation are one wake-up: run side by side, the second would only find the
    // lease held.
    const known = this.#woken.get(trigger.conversationId);
    const waking = known ?? this.#slots.useNext(() => this.#wake(trigger));
    this.#woken.set(trigger.conversationId, waking);
    await Promise.race([waking, this.#over.promise]);
  }

  async #wake(trigger: Trigger): Promise<void> {
    if (this.#stopping.signal.aborted)
      throw new LullError("there was no time for it", { code: NO_SLOT, retry: "later" });
    const within = { stopping: this.#stopping.signal, limits: this.#options.budget.limits };
    const { lull, trace } = this.#options;
    const { conversationId } = trigger;
    const outcome = await trace("turn", () => lull.wake(conversationId, within, trigger), { conversationId });
    if (outcome === "abandoned")
      throw new LullError("the store failed during the turn", { code: "ABANDONED", retry: "later" });
  }

  async #bringAgain(record: SqsRecord, error: unknown): Promise<void> {
    const { visibility, log } = this.#options;
    const code = error instanceof LullError ? error.code : undefined;
    if (code === UNREADABLE) {
      // It fails alone until the queue's redrive policy moves it to the dead letters, where a person finds
      // it; so let it fail at once.
      log("error", "trigger.unreadable", { id: record.messageId });
      return visibility.showAfter(record, 0);
    }
    log("error", "trigger.failed", { id: record.messageId, reason: tellable(error) });
    // With no time left for that either, it comes again when its visibility timeout ends.
    if (code === OUT_OF_TIME) return;
    await visibility.showAfter(record, code === NO_SLOT ? 0 : againSeconds(record));
  }
}

function outOfTime(): LullError {
  return new LullError("the function's time is over", { code: OUT_OF_TIME, retry: "later" });
}

export function againSeconds({ attributes }: SqsRecord): number {
  const receives = Number(attributes?.ApproximateReceiveCount ?? 1);
  return Math.min(AGAIN_SECONDS * AGAIN_FACTOR ** (receives - 1), AGAIN_SECONDS_MAX);
}
