import { describe, expect, it } from "vitest";
import type { ConversationKey } from "../model/conversation.ts";
import {
  conversationId,
  conversationOfUnknown,
  conversationWithin,
  idWithin,
  messageId,
  providerIdWithin,
  turnIdFrom,
  unknownSendId,
} from "./identity.ts";

const key = { channelType: "whatsapp", address: "+15550100", sender: "+4912" };

describe("a message's id", () => {
  it("is its channel, account and provider's id", () => {
    expect(messageId("whatsapp", "AC1", "SM1")).toBe("whatsapp/AC1/SM1");
  });

  it("cannot be made to collide by an account with a slash in it", () => {
    expect(messageId("whatsapp", "a/b", "c")).not.toBe(messageId("whatsapp", "a", "b/c"));
  });

  it("still tells the provider's own, whatever that and the account are", () => {
    for (const account of ["AC1", "a/b", ""])
      expect(providerIdWithin(messageId("whatsapp", account, "wamid/1=\n2"))).toBe("wamid/1=\n2");
    expect(providerIdWithin("another-system-s")).toBeUndefined();
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

it("an id that ends in its conversation's leads there, whatever that is called", () => {
  for (const id of ["c_1", "8d1f-uuid", "a.b.c", "with/slash"])
    expect(conversationWithin(idWithin(id, "unique"))).toBe(id);
  expect(conversationWithin("another system's")).toBeUndefined();
});

it("so does the id of an unknown send of its turn", () => {
  for (const id of ["c_1", "a.b.c"])
    expect(conversationOfUnknown(unknownSendId({ turnId: idWithin(id, "unique"), chunk: 12 }))).toBe(id);
  for (const id of ["another system's", "turn.1"]) expect(conversationOfUnknown(id)).toBeUndefined();
});

describe("a turn's id", () => {
  const turn = turnIdFrom("c_1", "w1", ["m1", "m2"]);

  it("is the same if its lease is forgotten and it is taken again", () => {
    expect(turnIdFrom("c_1", "w1", ["m1", "m2"])).toBe(turn);
    expect(conversationWithin(turn)).toBe("c_1");
  });

  it("is another one for other messages, in another window, in another conversation", () => {
    const others = [
      turnIdFrom("c_1", "w1", ["m1"]),
      turnIdFrom("c_1", "w1", ["m1", "m2", "m3"]),
      turnIdFrom("c_1", "w2", ["m1", "m2"]),
      turnIdFrom("c_2", "w1", ["m1", "m2"]),
    ];
    expect(new Set([turn, ...others]).size).toBe(5);
  });
});

it("no turn's id begins with a dash: a command would take it for an option", () => {
  const ids = Array.from({ length: 1_000 }, (_, n) => turnIdFrom("c_1", `w${n}`, ["m1"]));
  expect(ids.filter((id) => id.startsWith("-"))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
