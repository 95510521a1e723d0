import { afterEach, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { Clock } from "../ports/clock.ts";
import type { EngineProvider, TurnTaking } from "../ports/engine.ts";
import type { Responder } from "../ports/responder.ts";
import { countingClock } from "../testing/counting-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";
import type { Service } from "./service.ts";

const WINDOW_MS = 20_000;
const clock = fakeClock();
/** Timers that were set and have neither fired nor been cancelled. */
const counting = countingClock(clock);

/** A store that takes a moment to answer: messages come in while the worker looks. */
const slow: EngineProvider = {
  name: "slow",
  async open(context) {
    const engine = await memory().open(context);
    const takeDue: TurnTaking["takeDue"] = async (max, signal) => {
      const due = await engine.turns.takeDue(max, signal);
      await clock.sleep(50);
      return due;
    };
    return { ...engine, turns: { ...engine.turns, takeDue } };
  },
};

let service: Service;
afterEach(async () => {
  const stopped = service.stop(0);
  await clock.advance(100);
  await stopped;
});

function serviceOn(respond: Responder, serviceClock: Clock = clock): Service {
  return createService({
    engine: slow,
    channels: { test: testChannel() },
    window: { seconds: WINDOW_MS / 1_000 },
    clock: serviceClock,
    log: () => {},
    respond,
  });
}

it("what becomes due while the store answers is taken at once, not at the next poll", async () => {
  const lateMs: number[] = [];
  service = serviceOn(({ messages }) => {
    lateMs.push(clock.nowMs() - messages[0]!.arrivedAtMs - WINDOW_MS);
    return "ok";
  });
  await service.start();
  for (let at = 0; at < 40; at += 1) {
    const message = testMessage({ providerId: `m${at}`, sender: `person-${at}` });
    await service.receive("test", testWebhook(message));
    await clock.advance(317);
  }
  await clock.advance(WINDOW_MS + 1_000);
  expect(lateMs).toHaveLength(40);
  // The answer that was under way, and then its own.
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(100);
});

it("a worker has one timer at a time, however many windows are armed and however long they are", async () => {
  service = serviceOn(() => "ok", counting);
  await service.start();
  for (let at = 0; at < 50; at += 1) {
    const message = testMessage({ providerId: `m${at}`, sender: `person-${at}` });
    await service.receive("test", testWebhook(message));
    await clock.advance(30);
  }
  expect(counting.timers()).toBeLessThanOrEqual(2);
  await clock.advance(WINDOW_MS + 1_000);
  expect((await (await service.engine()).inspector.counts()).turns).toBe(50);
});
