import { expect, test } from "vitest";
import { newConversation } from "./new-conversation.ts";
import { mendedConversation, soundConversation } from "./sound-conversation.ts";

test("a record is mended field by field, and keeps its own key", () => {
  const key = { channelType: "web", address: "lull", sender: "ana" };
  const fresh = newConversation("c1", key, 10);
  expect(soundConversation(fresh).kind).toBe("sound");
  const foreign = {
    ...fresh,
    id: "c9",
    sender: 7,
    handedOff: true,
    paused: "yes",
    window: { kind: "fixed" },
    createdAtMs: 3,
  };
  expect(soundConversation(foreign).kind).toBe("foreign");
  expect(mendedConversation(foreign, fresh)).toEqual({ ...fresh, handedOff: true, createdAtMs: 3 });
  expect(mendedConversation("gone", fresh)).toBe(fresh);
});
