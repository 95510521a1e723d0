import { expect, it } from "vitest";
import { Finished } from "./finished.ts";
import type { ReceivedTrigger } from "./triggers.ts";

const trigger = (receipt: string): ReceivedTrigger => ({
  conversationId: "c",
  sender: "ana",
  channel: "test",
  queue: "queue",
  receipt,
});

it("triggers that are finished while others are deleted go with the next request, all at once", async () => {
  const asked: { receipts: string[]; answer: () => void }[] = [];
  const finished = new Finished({
    done: (received) =>
      new Promise((resolve) => {
        asked.push({ receipts: received.map(({ receipt }) => receipt), answer: resolve });
      }),
  });
  for (const receipt of ["1", "2", "3"]) finished.add([trigger(receipt)]);
  const deleted = finished.deleted();
  asked[0]!.answer();
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.answer();
  await deleted;
  expect(asked.map(({ receipts }) => receipts)).toEqual([["1"], ["2", "3"]]);
});

it("a queue that fails is reported at the end, and stops nothing before", async () => {
  const finished = new Finished({ done: () => Promise.reject(new Error("down")) });
  finished.add([trigger("1")]);
  // Long enough for an unhandled rejection to be noticed.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(finished.deleted()).rejects.toThrow("down");
});
