import { expect, it } from "vitest";
import { takeResult } from "./dead-letters.ts";

const deadLettered = (deadLetterId: string) =>
  ({ kind: "dead-lettered", deadLetterId, conversationId: "c", attempts: 5, reason: "poison" }) as const;

it("the dead letters before the last outcome are returned with it", () => {
  expect(takeResult([deadLettered("1"), deadLettered("2"), { kind: "nothing" }])).toEqual({
    kind: "nothing",
    deadLettered: [deadLettered("1"), deadLettered("2")],
  });
});

it("without any before it an outcome is returned as it is, and no outcome is nothing", () => {
  expect(takeResult([deadLettered("1")])).toEqual(deadLettered("1"));
  expect(takeResult([])).toEqual({ kind: "nothing" });
});
