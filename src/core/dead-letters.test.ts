import { expect, it } from "vitest";
import { inTheEnd } from "./dead-letters.ts";

const buried = (deadLetterId: string) => ({ kind: "buried", deadLetterId, reason: "poison" }) as const;

it("the dead letters before the last outcome are told with it", () => {
  expect(inTheEnd([buried("1"), buried("2"), { kind: "nothing" }])).toEqual({
    kind: "nothing",
    buried: [buried("1"), buried("2")],
  });
});

it("without any before it an outcome is told as it is, and no outcome is nothing", () => {
  expect(inTheEnd([buried("1")])).toEqual(buried("1"));
  expect(inTheEnd([])).toEqual({ kind: "nothing" });
});
