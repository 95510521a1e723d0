import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { DeliveryStatus } from "../model/message.ts";
import type { Channel } from "../ports/channel.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";

function receiving(channel: Partial<Channel>, more: Partial<LullConfig> = {}) {
  const clock = fakeClock();
  const logged: unknown[][] = [];
  const service = createService({
    engine: memory(),
    channels: { test: { ...testChannel(), ...channel } },
    respond: () => "hello",
    clock,
    log: (level, event, { code } = {}) => void logged.push([level, event, code]),
    ...more,
  });
  const post = async (...messages: readonly unknown[]) =>
    (await service.receive("test", testWebhook(...messages))).status;
  const counts = async () => (await service.engine()).inspector.counts();
  return { clock, logged, service, post, counts };
}

describe("a sender's limit", () => {
  const limits = { senderPerMinuteMax: 2 };
  const numbered = (...ids: readonly string[]) => ids.map((providerId) => testMessage({ providerId }));

  it("is theirs alone, and refills over a minute", async () => {
    const { post, clock } = receiving({}, { limits });
    const by = (sender: string, providerId: string) => post(testMessage({ sender, providerId }));
    expect([await by("ana", "1"), await by("ana", "2"), await by("ana", "3")]).toEqual([200, 200, 429]);
    expect(await by("ben", "4")).toBe(200);
    await clock.advance(30_000);
    expect(await by("ana", "5")).toBe(200);
  });

  it("turns away a payload that brings a new message beside one that is here already", async () => {
    const { post, counts } = receiving({}, { limits });
    expect(await post(...numbered("1", "2"))).toBe(200);
    expect(await post(...numbered("2", "3"))).toBe(429);
    expect(await post(...numbered("1", "2"))).toBe(200);
    expect((await counts()).staged).toBe(2);
  });

  it("is not used up by what cannot be read: whose it is, is not known", async () => {
    const { post, counts } = receiving({}, { limits: { senderPerMinuteMax: 1 } });
    const unreadable = (providerId: string) => ({ ...testMessage({ providerId }), sender: { id: 7 } });
    expect(await post(unreadable("1"))).toBe(409);
    expect(await post(unreadable("2"), testMessage({ providerId: "3" }))).toBe(409);
    expect((await counts()).staged).toBe(1);
  });
});

describe("places for refusals of senders who prove nothing", () => {
  const unsigned = { isUnsigned: true, textLengthMax: 1 };
  const refusedOnes = Array.from({ length: 61 }, (_, at) => testMessage({ providerId: `r${at}` }));

  it("are taken by each refusal, also where they come one after the other", async () => {
    const { post, counts } = receiving(unsigned);
    for (const message of refusedOnes) await post(message);
    expect((await counts()).refusals).toBe(60);
  });

  it("are all free again after a store was away", async () => {
    let isAway = true;
    const engine = aroundEngine(memory(), () => async (name, _input, call) => {
      if (isAway && name === "receiving.stage") throw new StoreUnavailable("away");
      return call();
    });
    const { post, counts } = receiving(unsigned, { engine });
    for (const message of refusedOnes) expect(await post(message)).toBe(503);
    isAway = false;
    for (const message of refusedOnes) await post(message);
    expect((await counts()).refusals).toBe(60);
  });
});

it("a webhook that carries only statuses is recorded and acknowledged", async () => {
  const status = { account: "test", providerId: "SM1", status: "delivered" };
  const parse: Channel["parse"] = () => ({ kind: "updates", messages: [], statuses: [status] });
  const { post, logged } = receiving({ parse });
  expect(await post()).toBe(200);
  expect(logged.map(([, event]) => event)).toEqual(["delivery.status"]);
});

it("a status that cannot be read is told, and the provider is not asked for it again", async () => {
  const odd = { account: "test", providerId: "out-1", status: { word: "delivered" } };
  const statuses = [odd as unknown as DeliveryStatus, null as unknown as DeliveryStatus];
  const { post, logged } = receiving({ parse: () => ({ kind: "updates", messages: [], statuses }) });
  expect(await post()).toBe(200);
  const refusals = logged.filter(([, event]) => event === "webhook.refused");
  expect(refusals).toEqual([
    ["error", "webhook.refused", "INVALID_PAYLOAD"],
    ["error", "webhook.refused", "INVALID_PAYLOAD"],
  ]);
});
