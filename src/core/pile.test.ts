import { expect, it } from "vitest";
import { bytesOf, isFull, pileOf } from "./pile.ts";

const limits = { stagedMessagesMax: 3, stagedBytesMax: 100 };

it("a pile is full when it has as many messages as may wait", () => {
  expect(isFull({ messages: 2, bytes: 0 }, limits, 0)).toBe(false);
  expect(isFull({ messages: 3, bytes: 0 }, limits, 0)).toBe(true);
});

it("a pile is full when one more message would make it heavier than it may be", () => {
  expect(isFull({ messages: 1, bytes: 60 }, limits, 40)).toBe(false);
  expect(isFull({ messages: 1, bytes: 60 }, limits, 41)).toBe(true);
});

it("the first message has a place, whatever its size", () => {
  expect(isFull({ messages: 0, bytes: 0 }, limits, 1_000)).toBe(false);
  expect(isFull({ messages: 1, bytes: 1_000 }, limits, 0)).toBe(true);
});

it("a message weighs what its sender puts into it: words, addresses of media, fields", () => {
  expect(bytesOf({ text: "ü", media: [] })).toBe(2);
  expect(bytesOf({ text: "", media: [{ url: "x", contentType: "y" }] })).toBe(200);
  expect(bytesOf({ text: "", media: [{ url: "x".repeat(300), contentType: "y", name: "zz" }] })).toBe(303);
  expect(bytesOf({ text: "", media: [], fields: { name: "Ana" } })).toBe(7);
});

it("a pile is counted and weighed", () => {
  expect(pileOf([{ bytes: 1 }, { bytes: 2 }])).toEqual({ messages: 2, bytes: 3 });
  expect(pileOf([])).toEqual({ messages: 0, bytes: 0 });
});
