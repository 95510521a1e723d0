import { describe, expect, it } from "vitest";
import type { LogFields, LogLevel } from "../model/log.ts";
import type { Channel } from "../ports/channel.ts";
import { testChannel } from "../testing/test-channel.ts";
import {
  glance,
  noteRefusal,
  type Refusing,
  refuse,
  refuseNameless,
  refuseTooLarge,
  TOO_MANY,
} from "./refuse.ts";

const HEAD = { method: "POST", url: "https://us.test/webhooks/sms", headers: {} };

function refusing(more: Partial<Channel> = {}) {
  const told: [LogLevel, string, LogFields][] = [];
  const sampled: Refusing["sampled"] = {
    note: (level, event, apart) => void told.push([level, event, apart]),
  };
  const channel: Channel = {
    ...testChannel(),
    answer: ({ code, detail }) => ({ status: 400, headers: {}, body: `${code}: ${detail}` }),
    ...more,
  };
  return { told, context: { channels: { sms: channel }, sampled } };
}

describe("a webhook that is refused is answered in the channel's words, and told once in ours:", () => {
  it("too many at once, who may come back in a moment", () => {
    const { told, context } = refusing();
    expect(refuse(context, "sms", TOO_MANY)).toEqual({
      status: 400,
      headers: { "retry-after": "1" },
      body: "RATE_LIMITED: too many requests at once",
    });
    const fields = { channel: "sms", code: "RATE_LIMITED", reason: "too many requests at once" };
    expect(told).toEqual([["warn", "webhook.refused", fields]]);
  });

  it("when a channel says itself when to come back, that holds", () => {
    const answer = () => ({ status: 429, headers: { "retry-after": "30" }, body: "" });
    const { context } = refusing({ answer });
    expect(refuse(context, "sms", TOO_MANY).headers).toEqual({ "retry-after": "30" });
  });

  it("a body that is too large, who need not come back", () => {
    const { told, context } = refusing();
    const body = "PAYLOAD_TOO_LARGE: a body may have 7 bytes";
    expect(refuseTooLarge(context, "sms", 7)).toEqual({ status: 400, headers: {}, body });
    expect(told).toHaveLength(1);
  });

  it("what is not worth reading, and only that", () => {
    const { told, context } = refusing({
      glance: ({ headers }) =>
        headers["x-proof"] ? undefined : { code: "INVALID_SIGNATURE", why: "there is no proof" },
    });
    expect(glance(context, "sms", { ...HEAD, headers: { "x-proof": "1" } })).toBeUndefined();
    expect(told).toEqual([]);
    expect(glance(context, "sms", HEAD)?.body).toBe("INVALID_SIGNATURE: there is no proof");
    expect(told).toHaveLength(1);
    expect(glance(refusing().context, "sms", HEAD)).toBeUndefined();
  });
});

it("a webhook for no channel is told without the name that its caller gave it", () => {
  const { told, context } = refusing();
  refuseNameless(context);
  const reason = "it is for a channel that is not configured: is its URL right?";
  expect(told).toEqual([["warn", "webhook.refused", { channel: "(none)", code: "ROUTE_NOT_FOUND", reason }]]);
});

it("what is answered in other words is told likewise", () => {
  const { told, context } = refusing();
  noteRefusal(context, "sms", "INVALID_PAYLOAD", "the body came too slowly");
  const fields = { channel: "sms", code: "INVALID_PAYLOAD", reason: "the body came too slowly" };
  expect(told).toEqual([["warn", "webhook.refused", fields]]);
});
