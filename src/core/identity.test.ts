import { describe, expect, it } from "vitest";
import { conversationId, messageId } from "./identity.ts";

const key = { channelType: "whatsapp", address: "+15550100", sender: "+4912" };

describe("a message's id", () => {
  it("is its channel, account and provider's id", () => {
    expect(messageId("whatsapp", "AC1", "SM1")).toBe("whatsapp/AC1/SM1");
  });

  it("cannot be made to collide by an account with a slash in it", () => {
    expect(messageId("whatsapp", "a/b", "c")).not.toBe(messageId("whatsapp", "a", "b/c"));
  });
});

describe("a conversation's id", () => {
  it("is the same wherever it is made", () => {
    expect(conversationId(key)).toBe(conversationId({ ...key }));
    expect(conversationId(key)).toMatch(/^c_[\w-]{22}$/);
  });

  it("differs with every part of the key and with the conversation before it", () => {
    const ids = [
      conversationId(key),
      conversationId({ ...key, channelType: "sms" }),
      conversationId({ ...key, address: "+15550101" }),
      conversationId({ ...key, sender: "+4913" }),
      conversationId(key, conversationId(key)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("does not mix up where one part ends and the next begins", () => {
    const one = conversationId({ channelType: "a", address: "bc", sender: "d" });
    expect(conversationId({ channelType: "ab", address: "c", sender: "d" })).not.toBe(one);
    expect(conversationId({ channelType: "a", address: "b", sender: "cd" })).not.toBe(one);
    expect(conversationId({ channelType: "a", address: "1:b", sender: "d" })).not.toBe(
      conversationId({ channelType: "a1:", address: "b", sender: "d" }),
    );
  });

  it("tells nothing about the person", () => {
    expect(conversationId(key)).not.toContain("4912");
  });
});
