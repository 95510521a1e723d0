import { expect, test } from "vitest";
import { bufferedFrom, idsOf, lockFrom, threadFrom } from "./rows.ts";

const row = {
  wa_id: "50370000001",
  message_type: "text",
  content: "Hola",
  timestamp: "2026-01-01 10:00:00",
};

test("a thread has the names under which responders know such ids", () => {
  expect(threadFrom({ wa_id: "50370000001", thread_id: "thread_1", last_response_id: "resp_1" })).toEqual({
    kind: "thread",
    waId: "50370000001",
    attributes: { openai_thread_id: "thread_1", openai_response_id: "resp_1" },
  });
});

test("a conversation's id that was written under both names is that of a conversation", () => {
  expect(threadFrom({ wa_id: "50370000001", thread_id: "conv_1", conversation_id: "conv_1" })).toMatchObject({
    attributes: { openai_conversation_id: "conv_1" },
  });
  expect(threadFrom({ wa_id: "50370000001", thread_id: "conv_1" })).toMatchObject({
    attributes: { openai_conversation_id: "conv_1" },
  });
});

test.each(["thread_id", "conversation_id", "last_response_id"])("a %s that is no id is junk", (column) => {
  const waId = { wa_id: "50370000001" };
  expect(threadFrom({ ...waId, [column]: "x".repeat(500) }).kind).toBe("thread");
  expect(threadFrom({ ...waId, [column]: "x".repeat(501) }).kind).toBe("junk");
});

test("a buffered row is a message with the time at which it was received", () => {
  expect(bufferedFrom(row)).toMatchObject({
    waId: "50370000001",
    type: "text",
    content: "Hola",
    atMs: Date.UTC(2026, 0, 1, 10),
  });
});

test("a row of the table's first version is a text", () => {
  expect(bufferedFrom({ wa_id: "50370000001", message: "Hola" })).toMatchObject({
    type: "text",
    content: "Hola",
    atMs: undefined,
  });
});

test.each([
  [{ ...row, wa_id: null }],
  [{ ...row, wa_id: "2555928227777606" }],
  [{ ...row, wa_id: "ana" }],
  [{ ...row, content: null }],
  [{ ...row, content: 7 }],
  [{ ...row, content: new Uint8Array(3) }],
  [{}],
])("%o is junk, and says why without a word of the customer's", (given) => {
  const read = bufferedFrom(given);
  expect(read.kind).toBe("junk");
  expect(JSON.stringify(read)).not.toContain("Hola");
});

test("a lock whose time cannot be read is a lock all the same", () => {
  expect(lockFrom({ wa_id: "50370000009", locked_at: "soon" })).toEqual({
    kind: "lock",
    waId: "50370000009",
    lockedAtMs: undefined,
  });
  expect(lockFrom({}).kind).toBe("junk");
});

test("ids follow from what the rows say, not from where they lie; equal rows have their own", () => {
  const read = (content: string) => bufferedFrom({ ...row, content }) as never;
  const [one, two, again] = idsOf([read("ok"), read("yes"), read("ok")]);
  expect(new Set([one, two, again]).size).toBe(3);
  expect(idsOf([read("yes"), read("ok"), read("ok")])).toEqual([two, one, again]);
});
