// How to test a responder: the real product, with a clock that you move. No waiting, no network, no database.
//
//   npx vitest run examples/test-your-responder.test.ts

import { LullError, type Responder } from "lull";
import { testLull } from "lull/testing";
import { expect, test } from "vitest";

/** The code under test. In your project it is imported. */
function bookings(tables: { free(): Promise<number> }): Responder {
  return async (turn) => {
    if (/human/i.test(turn.text)) return { text: "One moment, please.", handOff: "asked for a human" };
    return (await tables.free()) > 0 ? `Booked: ${turn.text.replaceAll("\n", ", ")}` : "We are full.";
  };
}

test("a burst is answered once, when its window closes", async () => {
  const lull = testLull({ window: { seconds: 10 }, respond: bookings({ free: async () => 2 }) });
  await lull.receive("ana", "a table");
  await lull.advance(4_000);
  await lull.receive("ana", "for two");
  await lull.advance(5_999);
  expect(lull.sent).toEqual([]);
  await lull.advance(1);
  expect(lull.sent).toEqual([{ to: "ana", text: "Booked: a table, for two" }]);
  await lull.stop();
});

test("a failed attempt is made up for, and the customer sees one answer", async () => {
  let asked = 0;
  const free = async () => {
    asked += 1;
    if (asked === 1) throw new LullError("the book is being written to", { code: "BUSY", retry: "later" });
    return 1;
  };
  const lull = testLull({ window: { seconds: 10 }, respond: bookings({ free }) });
  await lull.receive("ana", "tonight");
  await lull.advance(60_000);
  expect(asked).toBe(2);
  expect(lull.sent).toEqual([{ to: "ana", text: "Booked: tonight" }]);
  await lull.stop();
});

test("after a hand-off the bot is silent", async () => {
  const lull = testLull({ window: { seconds: 10 }, respond: bookings({ free: async () => 2 }) });
  await lull.receive("ana", "a human, please");
  await lull.advance(10_000);
  await lull.receive("ana", "hello?");
  await lull.advance(10_000);
  expect(lull.sent).toEqual([{ to: "ana", text: "One moment, please." }]);
  await lull.stop();
});
