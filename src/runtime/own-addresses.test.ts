import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { LogFields } from "../model/log.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";

let count = 0;
function webhook(...addresses: string[]) {
  const messages = addresses.map((address) => {
    count += 1;
    return testMessage({ providerId: `m${count}`, address });
  });
  return testWebhook(...messages);
}

function serviceWith(channels: Parameters<typeof createService>[0]["channels"]) {
  const clock = fakeClock();
  const logged: [event: string, fields: LogFields][] = [];
  const service = createService({
    engine: memory(),
    channels,
    clock,
    log: (_level, event, fields) => void logged.push([event, fields ?? {}]),
    respond: () => "ok",
  });
  return { service, logged, clock };
}

describe("two channels of one type", () => {
  const shop = () => testChannel({ addresses: ["+15550100"] });
  const clinic = () => testChannel({ addresses: ["+15550199"] });

  it("bring messages for their own addresses, and for no others: nothing of those is kept", async () => {
    const { service, logged } = serviceWith({ shop: shop(), clinic: clinic() });
    expect((await service.receive("shop", webhook("15550100"))).status).toBe(200);
    const refused = await service.receive("shop", webhook("+15550199"));
    expect(refused).toMatchObject({ status: 409, body: JSON.stringify({ code: "INVALID_SIGNATURE" }) });
    const { inspector } = await service.engine();
    expect(await inspector.counts()).toMatchObject({ conversations: 1, staged: 1, refusals: 0 });
    expect(logged.filter(([event]) => event === "webhook.refused")).toMatchObject([
      ["webhook.refused", { channel: "shop", code: "INVALID_SIGNATURE" }],
    ]);
    await service.stop(0);
  });

  it("bring what is theirs of a payload, and are told of the rest", async () => {
    const { service } = serviceWith({ shop: shop(), clinic: clinic() });
    const answer = await service.receive("shop", webhook("+15550199", "+15550100"));
    expect(JSON.parse(answer.body)).toEqual({ code: "INVALID_SIGNATURE" });
    const { items } = await (await service.engine()).inspector.conversations({ limit: 9 });
    expect(items.map(({ address }) => address)).toEqual(["+15550100"]);
    await service.stop(0);
  });

  it("tell what became of messages from their own addresses, and from no others", async () => {
    const status = { account: "a", providerId: "p1", status: "delivered" };
    const told = (address?: string) => ({
      ...shop(),
      parse: () => ({
        kind: "updates" as const,
        messages: [],
        statuses: [{ ...status, ...(address !== undefined && { address }) }],
      }),
    });
    for (const [address, code] of [["+15550199", "INVALID_SIGNATURE"], ["15550100"], []] as const) {
      const { service, logged } = serviceWith({ shop: told(address), clinic: clinic() });
      expect(JSON.parse((await service.receive("shop", webhook())).body)).toEqual({
        ...(code && { code }),
      });
      expect(logged.map(([event]) => event)).toEqual([code ? "webhook.refused" : "delivery.status"]);
      await service.stop(0);
    }
  });

  it("are not taken when one does not say which addresses are its own", () => {
    expect(() => serviceWith({ shop: shop(), clinic: testChannel() })).toThrow(
      "channels shop, clinic are of one type, test, so each has to say which addresses are its own: " +
        "set its `addresses` of channel clinic",
    );
  });

  it("have no address in common", () => {
    expect(() => serviceWith({ shop: shop(), clinic: testChannel({ addresses: ["15550100"] }) })).toThrow(
      "channels shop and clinic have the same address +15550100",
    );
  });

  it("are spoken on by whom it may concern: what a person says goes out where its address is", async () => {
    const [first, second] = [shop(), clinic()];
    const { service, clock } = serviceWith({ shop: first, clinic: second });
    const { conversations } = await service.engine();
    const key = { channelType: "test", address: "+15550199", sender: "ana" };
    const { conversation } = await conversations.create(key);
    await service.start();
    expect(await service.say({ conversationId: conversation.id, text: "hello", author: "eva" })).toBe(
      "staged",
    );
    await clock.advance(1_000);
    expect(second.outbox).toMatchObject([{ text: "hello" }]);
    expect(first.outbox).toEqual([]);
    await service.stop(0);
  });
});
