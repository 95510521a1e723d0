import { expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { Channel, ChannelContext } from "../ports/channel.ts";
import { testChannel } from "../testing/test-channel.ts";
import { createService } from "./create-service.ts";

const made = (channels: Readonly<Record<string, Channel>>, more = {}) =>
  createService({ engine: memory(), channels, respond: () => "ok", ...more });

it("a channel is told where statuses go if there is a public URL, and nothing otherwise", () => {
  const opened: ChannelContext[] = [];
  const open = (context: ChannelContext) => void opened.push(context);
  for (const more of [{ publicUrl: "https://example.test/" }, {}])
    made({ sms: { ...testChannel(), open } }, more);
  expect(opened.map(({ name }) => name)).toEqual(["sms", "sms"]);
  expect(opened[0]).toMatchObject({
    publicUrl: "https://example.test",
    statusUrl: "https://example.test/webhooks/sms/status",
  });
  expect("publicUrl" in opened[1]! || "statusUrl" in opened[1]!).toBe(false);
});

it("two channels with one address are refused: one's visitors would be the other's", () => {
  const at = (address: string) => testChannel({ addresses: [address] });
  expect(() => made({ shop: at("counter"), counter: at("counter") })).toThrow(
    "channels shop and counter have the same address counter",
  );
});

it("so are two that learn their address only when they are opened", () => {
  const late = (): Channel => {
    let addresses: readonly string[] = [];
    return {
      ...testChannel(),
      open: () => {
        addresses = ["counter"];
      },
      get addresses() {
        return addresses;
      },
    };
  };
  expect(() => made({ shop: late(), counter: late() })).toThrow("have the same address counter");
});
