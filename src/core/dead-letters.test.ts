import { expect, it } from "vitest";
import { inTheEnd } from "./dead-letters.ts";

const deadLettered = (deadLetterId: string) =>
  ({ kind: "dead-lettered", deadLetterId, reason: "poison" }) as const;

it("the dead letters before the last outcome are returned with it", () => {
  expect(inTheEnd([deadLettered("1"), deadLettered("2"), { kind: "nothing" }])).toEqual({
    kind: "nothing",
    deadLettered: [deadLettered("1"), deadLettered("2")],
  });
});

it("without any before it an outcome is returned as it is, and no outcome is nothing", () => {
  expect(inTheEnd([deadLettered("1")])).toEqual(deadLettered("1"));
  expect(inTheEnd([])).toEqual({ kind: "nothing" });
});
