import { describe, expect, test } from "vitest";
import { inked, inkedStarts, tableHeads, wantsColour } from "./colour.ts";

describe("colour is wanted", () => {
  test.each([
    ["on a terminal", {}, true, true],
    ["not in a file or a pipe", {}, false, false],
    ["not where NO_COLOR says so", { NO_COLOR: "1" }, true, false],
    ["where NO_COLOR is empty, which says nothing", { NO_COLOR: "" }, true, true],
    ["anywhere with FORCE_COLOR", { FORCE_COLOR: "1" }, false, true],
    ["nowhere with FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
    ["where both say something, as FORCE_COLOR says", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    ["not on a terminal that knows none", { TERM: "dumb" }, true, false],
  ])("%s", (_, env, isTerminal, wanted) => {
    expect(wantsColour(env, isTerminal)).toBe(wanted);
  });
});

test("words that begin a line are inked, and the same words elsewhere are not", () => {
  const paint = inkedStarts({ dead: "bad", "set aside": "warning" });
  expect(paint("dead      2 letters: lull dead\nset aside 1 row\ndeadly\nthe dead")).toBe(
    `${inked("bad", "dead")}      2 letters: lull dead\n` +
      `${inked("warning", "set aside")} 1 row\ndeadly\nthe dead`,
  );
});

test("the heads of tables are inked, their rows are not", () => {
  expect(tableHeads("ID  WHO\nc1  ANA\n\nMESSAGES\n2 s ago  HI")).toBe(
    `${inked("strong", "ID  WHO")}\nc1  ANA\n\n${inked("strong", "MESSAGES")}\n2 s ago  HI`,
  );
});
