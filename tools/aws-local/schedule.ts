import { randomUUID } from "node:crypto";
import type { ScheduledEvent } from "aws-lambda";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { LocalFunction } from "./local-function.ts";

/** A rule of EventBridge that invokes a function again and again. */
export class Schedule {
  readonly #target: LocalFunction;
  readonly #everyMs: number;
  readonly #region: string;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(target: LocalFunction, everyMs: number, region: string) {
    this.#target = target;
    this.#everyMs = everyMs;
    this.#region = region;
  }

  start(): void {
    this.#loop ??= this.#invokeOnAndOn();
  }

  async stop(cut: Promise<unknown>): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#loop, cut]);
  }

  async #invokeOnAndOn(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await systemClock.sleep(this.#everyMs, signal);
      // An error is in the function's own log, and the next time comes anyway.
      if (!signal.aborted) await this.#target.invoke(this.#event());
    }
  }

  #event(): ScheduledEvent {
    const region = this.#region;
    return {
      id: randomUUID(),
      version: "0",
      account: "000000000000",
      time: new Date(systemClock.nowMs()).toISOString(),
      region,
      resources: [`arn:aws:events:${region}:000000000000:rule/lull-sweep`],
      source: "aws.events",
      "detail-type": "Scheduled Event",
      detail: {},
    };
  }
}
