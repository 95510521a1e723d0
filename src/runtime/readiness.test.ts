import { expect, test } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { EngineProvider } from "../ports/engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { createService } from "./create-service.ts";

test("a service is not ready while its store says nothing, and says so in time", async () => {
  const clock = fakeClock();
  const kept = memory();
  const engine: EngineProvider = {
    name: "memory",
    open: async (context) => ({ ...(await kept.open(context)), ping: () => new Promise(() => {}) }),
  };
  const service = createService({ engine, channels: { test: testChannel() }, respond: () => "ok", clock });
  const told = expect(service.ready()).rejects.toThrow("no answer within 10 s");
  await clock.advance(10_000);
  await told;
  await service.stop(0);
});

test("however many callers ask whether it is ready, the store is asked about once a second", async () => {
  const clock = fakeClock();
  const kept = memory();
  const asked = { ping: 0, probe: 0 };
  let fails = false;
  const engine: EngineProvider = {
    name: "memory",
    open: async (context) => ({
      ...(await kept.open(context)),
      ping: async () => {
        asked.ping += 1;
      },
      probe: async () => {
        asked.probe += 1;
        if (fails) throw new StoreUnavailable("it is gone");
      },
    }),
  };
  const service = createService({ engine, channels: { test: testChannel() }, respond: () => "ok", clock });
  const crowd = () => Promise.allSettled(Array.from({ length: 100 }, () => service.ready()));
  expect((await crowd()).every(({ status }) => status === "fulfilled")).toBe(true);
  await clock.advance(999);
  await crowd();
  expect(asked).toEqual({ ping: 0, probe: 1 });
  fails = true;
  await clock.advance(1);
  expect((await crowd()).every(({ status }) => status === "rejected")).toBe(true);
  await crowd();
  expect(asked).toEqual({ ping: 0, probe: 2 });
  fails = false;
  await clock.advance(1_000);
  await service.ready();
  // A start asks the store anew, and so does the first caller after a stop.
  await service.start();
  expect(asked).toEqual({ ping: 1, probe: 3 });
  await service.ready();
  expect(asked.probe).toBe(4);
  await service.stop(0);
  await expect(service.ready()).rejects.toThrow("the service was stopped");
});
