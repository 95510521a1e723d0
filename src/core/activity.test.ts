import { expect, it } from "vitest";
import { activityOf } from "./activity.ts";
import { LEASE_MS_MAX, settingsWith } from "./defaults.ts";

const NOW_MS = 100_000;
const settings = settingsWith({ clockSkewMs: 2_000, window: { kind: "fixed", lengthMs: 10_000 } });
const lease = { turnId: "t1", takenAtMs: 90_000, untilAtMs: 150_000 };
const window = { dueAtMs: 104_000 };
const message = { arrivedAtMs: 94_000, channel: "web" };
const atRest = { conversation: {}, staged: [] };

function activity(given: Partial<Parameters<typeof activityOf>[0]>) {
  return activityOf({ ...atRest, ...given }, settings, NOW_MS);
}

it("a conversation at rest is idle", () => {
  expect(activity({})).toEqual({ state: "idle" });
});

it("a conversation with a window gathers until the window closes", () => {
  const lock = { window, draft: false };
  expect(activity({ lock, staged: [message] })).toEqual({ state: "gathering", dueAtMs: 104_000 });
});

it("a conversation answers since its turn was taken, while the next window stands", () => {
  const answering = { state: "answering", answeringSinceAtMs: 90_000 };
  expect(activity({ lock: { lease, draft: false } })).toEqual(answering);
  expect(activity({ lock: { lease, window, draft: false } })).toEqual({ ...answering, dueAtMs: 104_000 });
});

it.each([
  ["lapsed less than two clocks may be apart ago", { untilAtMs: NOW_MS - 1_999 }, "answering"],
  ["lapsed longer ago than that", { untilAtMs: NOW_MS - 2_000 }, "idle"],
  ["ends later than any lease can", { untilAtMs: NOW_MS + LEASE_MS_MAX + 2_001 }, "idle"],
  ["has no turn", { turnId: "" }, "idle"],
])("with a lease that %s, as whether a turn runs", (_, part, state) => {
  expect(activity({ lock: { lease: { ...lease, ...part }, draft: false } }).state).toBe(state);
});

it("a draft without a lease awaits its answer", () => {
  expect(activity({ lock: { draft: true } })).toEqual({ state: "answering" });
});

it("a quiet window closes later than its row says if messages came in since", () => {
  const conversation = { window: { kind: "quiet", quietMs: 4_000, maxMs: 20_000 } } as const;
  const staged = [message, { ...message, arrivedAtMs: 99_000 }];
  const lock = { window: { dueAtMs: 98_000 }, draft: false };
  expect(activity({ conversation, staged, lock }).dueAtMs).toBe(103_000);
});

it("what the running turn has taken does not put off the next window", () => {
  const conversation = { window: { kind: "quiet", quietMs: 60_000, maxMs: 90_000 } } as const;
  const staged = [{ ...message, arrivedAtMs: 89_000 }];
  expect(activity({ conversation, staged, lock: { window, lease, draft: false } }).dueAtMs).toBe(104_000);
});
