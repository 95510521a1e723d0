import { expect, test } from "vitest";
import { changed, goesOn } from "./conversation-change.ts";
import { newConversation } from "./new-conversation.ts";

const key = { channelType: "sms", address: "us", sender: "ana" };
const window = { kind: "fixed", lengthMs: 1_000 } as const;
const before = newConversation("c", { ...key, window }, 1);

test("a change changes what it names, and the time", () => {
  expect(changed(before, { paused: true, status: "processing_error" }, 2)).toEqual({
    ...before,
    paused: true,
    status: "processing_error",
    updatedAtMs: 2,
  });
});

test("a conversation's own window is changed, kept or taken away", () => {
  const other = { kind: "fixed", lengthMs: 5_000 } as const;
  expect(changed(before, { window: other }, 2).window).toEqual(other);
  expect(changed(before, {}, 2).window).toEqual(window);
  expect(changed(before, { window: null }, 2)).not.toHaveProperty("window");
});

test("what waits goes on when a pause or a hand-off ends, and by no other change", () => {
  expect([{ paused: false }, { handedOff: false }].map(goesOn)).toEqual([true, true]);
  expect([{}, { paused: true }, { handedOff: true }, { taskComplete: false }].some(goesOn)).toBe(false);
});
