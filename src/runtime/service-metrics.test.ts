import { expect, test } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { EngineProvider } from "../ports/engine.ts";
import { testLull } from "../testing/test-lull.ts";

const respond = () => "hello";

test("a service alone tells what it counted, how it is, since when it runs, and its version", async () => {
  const lull = testLull({ respond });
  const startedAtMs = lull.clock.nowMs();
  await lull.receive("ana", "hi");
  const series = await lull.service.metrics();
  expect(series).toMatchObject({
    'lull_messages_staged_total{channel="test"}': 1,
    lull_staged_messages: 1,
    lull_dead_letters: 0,
    lull_oldest_lease_seconds: 0,
    lull_store_up: 1,
    lull_workers: 1,
    lull_workers_up: 1,
    lull_start_time_seconds: startedAtMs / 1_000,
  });
  expect(Object.keys(series).find((name) => name.startsWith("lull_build_info"))).toMatch(
    /version="\d+\.\d+\./,
  );
  await lull.stop();
});

test("one that is a part of a service tells of all of it", async () => {
  const partOf = { startedAtMs: 7_000, totals: async () => ({ lull_orphans_total: 3, lull_workers: 4 }) };
  const lull = testLull({ respond, partOf });
  expect(await lull.service.metrics()).toMatchObject({
    lull_orphans_total: 3,
    lull_workers: 4,
    lull_start_time_seconds: 7,
    lull_store_up: 1,
  });
  await lull.stop();
});

test.each([
  ["fails", () => Promise.reject(new StoreUnavailable("the disk is gone"))],
  ["never answers", () => new Promise<never>(() => {})],
])("a store that %s takes no counter with it", async (_, gauges) => {
  const inner = memory();
  const engine: EngineProvider = {
    ...inner,
    async open(context) {
      const opened = await inner.open(context);
      return { ...opened, inspector: { ...opened.inspector, gauges } };
    },
  };
  const lull = testLull({ respond, engine });
  await lull.receive("ana", "hi");
  const measured = lull.service.metrics();
  await lull.clock.advance(3_000);
  const series = await measured;
  expect(series).toMatchObject({ 'lull_messages_staged_total{channel="test"}': 1, lull_store_up: 0 });
  expect(series).not.toHaveProperty("lull_dead_letters");
  await lull.stop();
});
