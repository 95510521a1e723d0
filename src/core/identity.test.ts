import { describe, expect, it } from "vitest";
import type { ConversationKey } from "../model/conversation.ts";
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

const id = (of: ConversationKey, previousId?: string) => conversationId("secret", of, previousId);

describe("a conversation's id", () => {
  it("is the same wherever it is made", () => {
    expect(id(key)).toBe(id({ ...key }));
    expect(id(key)).toMatch(/^c_[\w-]{22}$/);
  });

  it("differs with every part of the key and with the conversation before it", () => {
    const ids = [
      id(key),
      id({ ...key, channelType: "sms" }),
      id({ ...key, address: "+15550101" }),
      id({ ...key, sender: "+4913" }),
      id(key, id(key)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("does not mix up where one part ends and the next begins", () => {
    const one = id({ channelType: "a", address: "bc", sender: "d" });
    expect(id({ channelType: "ab", address: "c", sender: "d" })).not.toBe(one);
    expect(id({ channelType: "a", address: "b", sender: "cd" })).not.toBe(one);
    expect(id({ channelType: "a", address: "1:b", sender: "d" })).not.toBe(
      id({ channelType: "a1:", address: "b", sender: "d" }),
    );
  });

  it("is another one in another installation: trying all numbers does not find the person", () => {
    expect(conversationId("another secret", key)).not.toBe(id(key));
  });

  it("tells nothing about the person", () => {
    expect(id(key)).not.toContain("4912");
  });
});
