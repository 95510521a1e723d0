import { expect, test } from "vitest";
import { messagesIn, requestOf, textOf } from "./webhook.ts";

test("a message is found again by the number in its text", () => {
  expect(messagesIn([textOf(7), textOf(12)].join("\n"))).toEqual([7, 12]);
});

test("a request has a length, a signature, and an id of its own", () => {
  const [first, second] = [0, 1].map((message) => requestOf(message, 3, "127.0.0.1:1").toString());
  const [head = "", body = ""] = first!.split("\r\n\r\n");
  expect(head).toContain(`content-length: ${body.length}`);
  expect(head).toMatch(/x-twilio-signature: \S{28}/);
  expect(new URLSearchParams(body).get("MessageSid")).toMatch(/^SM[0-9a-f]{32}$/);
  expect(first).not.toBe(second);
});
