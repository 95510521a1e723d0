import { afterEach, expect, it } from "vitest";
import type { LogFields } from "../model/log.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

let lull: TestLull;
afterEach(() => lull.stop());

it("what a responder notes about a turn is in the log as a word, and never as a sentence", async () => {
  const noted: (LogFields | undefined)[] = [];
  lull = testLull({
    window: { seconds: 10 },
    log: (level, event, fields) => {
      if (event === "turn.noted") noted.push({ level, ...fields });
    },
    respond: (turn) => {
      for (const word of ["MODEL_SWAPPED", `${turn.text} was said`, "A".repeat(65), ""]) turn.note(word);
      return "hello";
    },
  });
  await lull.receive("ana", "my card is 4111");
  await lull.advance(10_000);
  expect(noted.map((fields) => fields?.code)).toEqual([
    "MODEL_SWAPPED",
    "UNREADABLE_NOTE",
    "UNREADABLE_NOTE",
    "UNREADABLE_NOTE",
  ]);
  expect(noted[0]).toMatchObject({ level: "info", attempt: 1, conversation: expect.any(String) });
  expect(JSON.stringify(noted)).not.toContain("4111");
  expect(lull.sent).toEqual([expect.objectContaining({ text: "hello" })]);
});
