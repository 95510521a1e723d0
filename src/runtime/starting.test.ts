import { expect, test } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { EngineProvider } from "../ports/engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { createService } from "./create-service.ts";

test("a service does not start on a store that cannot be written, and does once it can", async () => {
  const kept = memory();
  let mayWrite = false;
  const engine: EngineProvider = {
    name: "memory",
    async open(context) {
      const ping = async () => {
        if (!mayWrite) throw new StoreUnavailable("it can only be read");
      };
      return { ...(await kept.open(context)), ping };
    },
  };
  const service = createService({ engine, channels: { test: testChannel() }, respond: () => "ok" });
  await expect(service.start()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  mayWrite = true;
  await service.start();
  await service.stop(0);
});

test("it is not ready while its store says nothing, and says so in time", async () => {
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

test("two channels with one address are refused: one's visitors would be the other's", () => {
  const at = (address: string) => testChannel({ addresses: [address] });
  const channels = { shop: at("counter"), counter: at("counter") };
  const made = () => createService({ engine: memory(), channels, respond: () => "ok" });
  expect(made).toThrow("channels shop and counter have the same address counter");
});

test("a service does not start with a channel that must not be served as it is", async () => {
  let why: string | undefined = "it is open to all the world";
  const channels = { test: { ...testChannel(), unfit: () => why } };
  const service = createService({ engine: memory(), channels, respond: () => "ok" });
  await expect(service.start()).rejects.toThrow("channel test: it is open to all the world");
  why = undefined;
  await service.start();
  await service.stop(0);
});

test("nor does it receive for that channel, on any way in; other channels receive", async () => {
  let why: string | undefined = "it is open to all the world";
  let asked = 0;
  const unfit = async () => {
    asked += 1;
    return why;
  };
  const channels = { open: { ...testChannel(), unfit }, sound: { ...testChannel(), type: "other" } };
  const events: string[] = [];
  const log = (_level: string, event: string) => void events.push(event);
  const service = createService({ engine: memory(), channels, respond: () => "ok", log });
  const webhook = {
    method: "POST",
    url: "https://bot.example.com/webhooks/open",
    headers: {},
    body: Buffer.from("[]"),
  };
  expect((await service.receive("open", webhook)).status).toBe(503);
  expect((await service.receive("sound", webhook)).status).toBe(200);
  expect(events).toContain("webhook.failed");
  why = undefined;
  expect((await service.receive("open", webhook)).status).toBe(200);
  expect((await service.receive("open", webhook)).status).toBe(200);
  // A channel that passed is not checked again.
  expect(asked).toBe(2);
  await service.stop(0);
});
