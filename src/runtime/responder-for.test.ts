import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { EngineProvider } from "../ports/engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";

const clock = fakeClock();

function serving(name: string, more: Partial<LullConfig>, engine: EngineProvider = memory()) {
  const channel = testChannel();
  const service = createService({ engine, channels: { [name]: channel }, clock, log: () => {}, ...more });
  const sent = () => channel.outbox.map(({ text }) => text);
  return { service, sent, receive: () => service.receive(name, testWebhook(testMessage())) };
}

describe("a message is answered by", () => {
  it.each<[string, string, Partial<LullConfig>, string[]]>([
    ["its channel's responder", "web", { respond: () => "all", responders: { web: () => "web" } }, ["web"]],
    ["the one for all", "web", { respond: () => "all", responders: { sms: () => "sms" } }, ["all"]],
    [
      "the one for all on a channel of an odd name",
      "constructor",
      { respond: () => "all", responders: {} },
      ["all"],
    ],
  ])("%s", async (_, name, more, answers) => {
    const { service, sent, receive } = serving(name, more);
    await service.start();
    expect((await receive()).status).toBe(200);
    await clock.advance(10_000);
    expect(sent()).toEqual(answers);
    await service.stop(0);
  });
});

it.each(["web", "constructor"])("without any, a message of %s is refused when it comes", async (name) => {
  const { service, receive } = serving(name, { responders: { sms: () => "sms" } });
  expect(JSON.parse((await receive()).body)).toEqual({ code: "ROUTE_NOT_FOUND" });
  await service.stop(0);
});

it("a message whose responder is gone in its turn is refused with the reason, not left waiting", async () => {
  const engine = memory();
  const before = serving("web", { respond: () => "hello" }, engine);
  await before.receive();
  const { service, sent } = serving("web", {}, engine);
  await service.start();
  await clock.advance(10_000);
  const { inspector } = await service.engine();
  const { items } = await inspector.conversations({ limit: 1 });
  const { turns } = (await inspector.conversation(items[0]!.id))!;
  expect(turns.map(({ outcome }) => outcome)).toEqual(["refused: ROUTE_NOT_FOUND"]);
  expect(sent()).toEqual([]);
  await service.stop(0);
  await before.service.stop(0);
});
