import { expect, test } from "vitest";
import { soundState } from "./sound-state.ts";

const work = {
  turnId: "t1",
  recordId: "c1",
  messageIds: ["m1"],
  batchIds: ["m1"],
  attempts: 1,
  restarts: 0,
  openedAtMs: 1,
  dueAtMs: 2,
  takenAtMs: 3.5,
};

const draft = {
  turnId: "t1",
  messageIds: ["m1"],
  channel: "web",
  to: "ana",
  from: "lull",
  chunks: [{ text: "hi", state: { kind: "sending", sendByAtMs: 9 } }],
  answerStartedAtMs: 3,
  draftedAtMs: 4,
};

test.each([
  [{ works: [] }, undefined],
  [{ works: [work], draft, window: { id: "w", dueAtMs: 1, wakeAtMs: 2 } }, undefined],
  [{ works: [], somethingNewer: { deep: true }, failingSinceAtMs: 12 }, undefined],
  [undefined, "is no object"],
  [null, "is no object"],
  ["none", "is no object"],
  [[], "is no object"],
  [{}, "works is no list"],
  [{ works: { length: 0 } }, "works is no list"],
  [{ works: [{ ...work, attempts: -1 }] }, "works[0].attempts is no count"],
  [{ works: [{ ...work, attempts: 1.5 }] }, "works[0].attempts is no count"],
  [{ works: [], window: { id: "w", dueAtMs: 1, wakeAtMs: "soon" } }, "window.wakeAtMs is no time"],
  [{ works: [], window: { id: "w", dueAtMs: 1e17, wakeAtMs: 1 } }, "window.dueAtMs is no time"],
  [{ works: [], window: null }, "window is no object"],
  [{ works: [], failingSinceAtMs: "yesterday" }, "failingSinceAtMs is no time"],
  [
    { works: [work], draft: { ...draft, chunks: [{ text: "hi", state: { kind: "sending" } }] } },
    "draft.chunks[0].state.sendByAtMs is no time",
  ],
  [
    { works: [work], draft: { ...draft, chunks: [{ text: "hi", state: { kind: "constructor" } }] } },
    "draft.chunks[0].state.kind is none of the known words",
  ],
  [{ works: [], draft }, "draft has no work"],
])("a state %j: %s", (value, why) => {
  const read = soundState(value);
  expect(read).toEqual(why === undefined ? { kind: "sound", value } : { kind: "foreign", why });
});
