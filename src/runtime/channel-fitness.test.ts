import { expect, test } from "vitest";
import { memory } from "../engines/memory/index.ts";
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
