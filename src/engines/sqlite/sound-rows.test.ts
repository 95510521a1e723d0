import { expect, it } from "vitest";
import { SOUND_ROWS } from "./sound-rows.ts";

const message = {
  id: "web/a/1",
  channel: "web",
  providerId: "1",
  account: "a",
  address: "lull",
  sender: "ana",
  replyTo: "ana",
  text: "hi",
  media: [],
  arrivedAtMs: 5,
  position: 0,
  sequence: 1,
};
const outbound = { id: "o", channel: "web", to: "ana", texts: ["hi"], author: "eva", arrivedAtMs: 1 };
const kept = { kind: "message", id: message.id, conversationId: "c1", bytes: 7, message };
const said = { kind: "outbound", id: "o", conversationId: "c1", bytes: 7, outbound, sequence: 2 };
const letter = { id: "d1", conversationId: "c1", reason: "broken", attempts: 5, atMs: 9, rows: [kept, said] };

const read = (value: unknown) => SOUND_ROWS.dead_letters({ record: JSON.stringify(value) });

it("a dead letter is one with all that it keeps, so that it can be retried", () => {
  expect(read(letter)).toEqual({ kind: "sound", value: letter });
  expect(read({ ...letter, rows: [] }).kind).toBe("sound");
});

it.each([
  ["a reason that is none", { ...letter, reason: 7 }, "reason is no text"],
  ["no messages", { ...letter, rows: undefined }, "rows is no list"],
  ["a message without an id", { ...letter, rows: [{ ...kept, id: 7 }] }, "rows[0] is no staged row"],
  [
    "a message without a conversation",
    { ...letter, rows: [{ ...kept, conversationId: null }] },
    "rows[0] is no staged row",
  ],
  ["a weight that is none", { ...letter, rows: [kept, { ...kept, bytes: "7" }] }, "rows[1] is no staged row"],
  [
    "a text that is none",
    { ...letter, rows: [{ ...kept, message: { ...message, text: 7 } }] },
    "rows[0] is no staged row",
  ],
  ["an outbound without texts", { ...letter, rows: [{ ...said, outbound: {} }] }, "rows[0] is no staged row"],
  ["something else", { ...letter, rows: [{ ...said, kind: "rumour" }] }, "rows[0] is no staged row"],
])("a dead letter with %s is not ours", (_with, value, why) => {
  expect(read(value)).toEqual({ kind: "foreign", why });
});
