import { expect, it } from "vitest";
import type { Draft } from "../model/draft.ts";
import { awaiting } from "./late-answer.ts";
import type { Work } from "./state.ts";

const CLOCK = { nowMs: 50_000, clockSkewMs: 0 };
const work = { turnId: "turn", batchIds: ["m1"], takenAtMs: 40_000 } as unknown as Work;
const lease = { token: "t", holder: "h", turnId: "turn", takenAtMs: 40_000, untilAtMs: 60_000 };
const draft = { turnId: "turn", chunks: [], awaitingUntilAtMs: 90_000 } as unknown as Draft;

it("a draft that waits for its answer says so, and whether its writer still runs", () => {
  expect(awaiting({ works: [work], draft }, "turn", CLOCK)).toEqual({ kind: "waits", draft, running: false });
  expect(awaiting({ works: [work], draft, lease }, "turn", CLOCK)).toMatchObject({ running: true });
});

it("a turn that is being asked may get its answer before it says that the answer will be late", () => {
  expect(awaiting({ works: [work], lease }, "turn", CLOCK)).toEqual({ kind: "asked", work });
});

it("for every other turn the answer is stale", () => {
  const stale = { kind: "stale" };
  expect(awaiting({ works: [work], draft, lease }, "another", CLOCK)).toEqual(stale);
  expect(awaiting({ works: [work] }, "turn", CLOCK)).toEqual(stale);
  expect(awaiting({ works: [work], lease: { ...lease, untilAtMs: 50_000 } }, "turn", CLOCK)).toEqual(stale);
  expect(awaiting({ works: [], lease }, "turn", CLOCK)).toEqual(stale);
  const { awaitingUntilAtMs: _over, ...answered } = draft;
  expect(awaiting({ works: [work], draft: answered, lease }, "turn", CLOCK)).toEqual(stale);
});
