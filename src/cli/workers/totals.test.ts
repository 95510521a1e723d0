import type { Worker } from "node:cluster";
import { expect, test } from "vitest";
import { EVENT_METRICS } from "../../core/event-metrics.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import type { ParentMessage } from "./messages.ts";
import { OWN_EVENTS, Totals } from "./totals.ts";

/** What a parent sees of a worker: a place to send questions to. */
function workerWith(answer: (id: number) => void): Worker {
  const send = (message: ParentMessage) => {
    if (message.lull === "count") answer(message.id);
    return true;
  };
  return { send } as unknown as Worker;
}

test("what all workers counted is added up, what they had told before they died included", async () => {
  const totals = new Totals(fakeClock());
  const one: Worker = workerWith((id) => totals.heard(one, { a: 1, b: 2 }, id));
  const other: Worker = workerWith((id) => totals.heard(other, { a: 3 }, id));
  expect(await totals.gather([one, other])).toEqual({ a: 4, b: 2 });
  totals.left(one);
  // It had said that before it died.
  totals.heard(one, { a: 100 });
  expect(await totals.gather([other])).toEqual({ a: 4, b: 2 });
});

test("what was so in the last hour is forgotten with the worker that saw it", async () => {
  const totals = new Totals(fakeClock());
  const one: Worker = workerWith(() => {});
  totals.heard(one, { 'lull_webhooks_refused_lately{channel="a"}': 5, lull_lately_total: 5 });
  totals.left(one);
  expect(await totals.gather([])).toEqual({ lull_lately_total: 5 });
});

test("a worker that does not answer in time counts with what it told last", async () => {
  const clock = fakeClock();
  const totals = new Totals(clock);
  const blocked = workerWith(() => {});
  totals.heard(blocked, { a: 5 });
  const gathering = totals.gather([blocked]);
  await clock.advance(1_000);
  expect(await gathering).toEqual({ a: 5 });
});

test("one that dies while it is asked keeps nobody waiting", async () => {
  const totals = new Totals(fakeClock());
  const dying = workerWith(() => {});
  totals.heard(dying, { a: 5 });
  const gathering = totals.gather([dying]);
  totals.left(dying);
  expect(await gathering).toEqual({ a: 5 });
});

test("the parent counts its own events as the table of all events has them", async () => {
  const totals = new Totals(fakeClock());
  const log = totals.counted(() => {});
  for (const [event, metric] of Object.entries(OWN_EVENTS)) {
    expect(EVENT_METRICS.get(event)).toEqual([{ metric }]);
    log("error", event);
    log("error", event);
  }
  log("info", "worker.ready", { worker: 1 });
  expect(await totals.gather([])).toEqual({ lull_workers_died_total: 2, lull_workers_hung_total: 2 });
});
