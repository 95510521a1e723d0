import { describe, expect, test } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { ConfigError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";

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
  expect((await service.receive("open", testWebhook())).status).toBe(503);
  expect((await service.receive("sound", testWebhook())).status).toBe(200);
  expect(events).toContain("webhook.failed");
  why = undefined;
  expect((await service.receive("open", testWebhook())).status).toBe(200);
  expect((await service.receive("open", testWebhook())).status).toBe(200);
  // A channel that passed is not checked again.
  expect(asked).toBe(2);
  await service.stop(0);
});

describe("of several tenants", () => {
  type Unfit = NonNullable<ReturnType<typeof testChannel>["unfit"]>;
  const GONE = "the secret acme cannot be read";
  const gone: Unfit = () => Promise.reject(new ConfigError(GONE));

  function tenants(unfit: Readonly<Record<string, Unfit>>, own: Readonly<Record<string, Unfit>> = {}) {
    const logged: unknown[][] = [];
    const channelOf = ([name, unfit]: [string, Unfit]) =>
      [name, { ...testChannel({ addresses: [name] }), unfit }] as const;
    const projectOf = (each: [string, Unfit]) =>
      [each[0], { channels: Object.fromEntries([channelOf(each)]) }] as const;
    const service = createService({
      engine: memory(),
      clock: fakeClock(),
      channels: Object.fromEntries(Object.entries(own).map(channelOf)),
      projects: Object.fromEntries(Object.entries(unfit).map(projectOf)),
      respond: () => "ok",
      log: (level, event, fields) => void (level === "debug" || logged.push([level, event, fields])),
    });
    const status = async (name: string) => (await service.receive(name, testWebhook())).status;
    return { service, status, logged };
  }

  test("one with a channel that must not be served is refused alone, and served once it may be", async () => {
    let isGone = true;
    const acme: Unfit = () => (isGone ? gone() : undefined);
    const { service, status, logged } = tenants({ acme, beta: () => undefined });
    await service.requireFit();
    await service.start();
    const about = { channel: "acme", project: "acme" };
    const unfit = ["error", "channel.unfit", { ...about, reason: expect.stringContaining(GONE) }];
    expect(logged).toEqual([unfit]);
    expect([await status("acme"), await status("beta")]).toEqual([503, 200]);
    isGone = false;
    expect(await status("acme")).toBe(200);
    expect(logged).toContainEqual(["info", "channel.fit", about]);
    await service.stop(0);
  });

  test("none starts where all have such channels, or the operator's own is one", async () => {
    const { service } = tenants({ acme: gone, beta: gone });
    await expect(service.start()).rejects.toThrow(GONE);
    const own = tenants({ acme: () => undefined, beta: () => undefined }, { mine: gone });
    await expect(own.service.start()).rejects.toThrow(GONE);
  });

  test("a single one does not start without its secret", async () => {
    const { service } = tenants({ acme: gone });
    await expect(service.start()).rejects.toThrow(GONE);
  });

  test("all are looked at at once, and one whose secret never comes keeps the others no longer", async () => {
    const clock = fakeClock();
    const asked: string[] = [];
    const hanging = (name: string): Unfit => {
      return () => {
        asked.push(name);
        return new Promise(() => {});
      };
    };
    const channels = (name: string, unfit: Unfit) => ({
      channels: { [name]: { ...testChannel({ addresses: [name] }), unfit } },
    });
    const service = createService({
      engine: memory(),
      clock,
      channels: {},
      projects: {
        acme: channels("acme", hanging("acme")),
        beta: channels("beta", hanging("beta")),
        cyd: channels("cyd", () => undefined),
      },
      respond: () => "ok",
      log: () => {},
    });
    const started = service.start();
    await Promise.resolve();
    expect(asked).toEqual(["acme", "beta"]);
    await clock.advance(10_000);
    await started;
    await service.stop(0);
  });
});
