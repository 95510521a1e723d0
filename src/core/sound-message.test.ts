import { expect, test } from "vitest";
import { soundMessage, soundOutbound } from "./sound-message.ts";

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

test("a provider's time that JSON keeps as null, since it was no number, is left out of the message", () => {
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
