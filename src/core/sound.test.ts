import { expect, test } from "vitest";
import { newConversation } from "./new-conversation.ts";
import { fields, listOf, oneOf, parsed, soundAs, text, time } from "./shape.ts";
import { mendedConversation, soundConversation } from "./sound-conversation.ts";
import { soundMessage, soundOutbound } from "./sound-message.ts";
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

const message = {
  id: "web/a/1",
  channel: "web",
  providerId: "1",
  account: "a",
  address: "lull",
  sender: "ana",
  replyTo: "ana",
  text: "",
  media: [],
  arrivedAtMs: 5,
  position: 0,
  sequence: 1,
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

test("a provider's time that was no number, stored as null, is read as no time", () => {
  expect(soundMessage({ ...message, sentAtMs: null, senderAlias: null })).toEqual({
    kind: "sound",
    value: message,
  });
  expect(soundMessage({ ...message, sentAtMs: "noon" })).toEqual({
    kind: "foreign",
    why: "sentAtMs is no time",
  });
  expect(soundMessage({ ...message, arrivedAtMs: null })).toEqual({
    kind: "foreign",
    why: "arrivedAtMs is no time",
  });
  expect(soundMessage({ ...message, media: "none" })).toEqual({ kind: "foreign", why: "media is no list" });
  expect(soundMessage(7)).toEqual({ kind: "foreign", why: "is no object" });
});

test("an outbound needs texts", () => {
  const outbound = { id: "o", channel: "web", to: "ana", texts: ["hi"], author: "eva", arrivedAtMs: 1 };
  expect(soundOutbound(outbound).kind).toBe("sound");
  expect(soundOutbound({ ...outbound, texts: "hi" })).toEqual({ kind: "foreign", why: "texts is no list" });
});

test("a record is mended field by field, and keeps its own key", () => {
  const key = { channelType: "web", address: "lull", sender: "ana" };
  const fresh = newConversation("c1", key, { projectStatus: "active", nowMs: 10 });
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

test("what is wrong is reported without a word of the value", () => {
  const shape = fields({ names: listOf(text), atMs: time });
  expect(soundAs(shape, { names: ["a", { secret: 1 }], atMs: 1 })).toEqual({
    kind: "foreign",
    why: "names[1] is no text",
  });
  expect(soundAs(shape, { names: [], atMs: Number.NaN })).toEqual({
    kind: "foreign",
    why: "atMs is no time",
  });
  expect(parsed('{"secret')).toEqual({ kind: "foreign", why: "it is no JSON" });
  expect(parsed(undefined)).toEqual({ kind: "foreign", why: "it is no text" });
});

test("a word is one of those that are known", () => {
  const role = oneOf("user", "assistant");
  expect(role("assistant")).toBeUndefined();
  for (const other of ["system", "", 7, undefined, ["user"]])
    expect(role(other)).toBe(" is none of the known words");
});
