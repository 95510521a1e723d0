import { expect, test } from "vitest";
import type { NameRecord } from "../model/names.ts";
import { changedName, isTaken, mergedNames } from "./names.ts";

/** As long as a name may be, of characters that take four bytes. */
const longName = (n: number) => `${String(n).padStart(4, "0")}${"𝒳".repeat(498)}`;
const ITEM_BYTES_MAX = 400_000;

const sizeOf = (record: NameRecord) => Buffer.byteLength(JSON.stringify(record));

function lived(changes: number): NameRecord {
  let record: NameRecord | undefined;
  for (let n = 0; n < changes; n += 1) {
    const whose = { [`conversation-${n}`]: longName(n) };
    record = changedName(record, {
      came: longName(n),
      whose,
      stranger: { id: `stranger-${n}`, after: longName(n) },
    });
  }
  return record ?? { cameWith: [] };
}

const LONG_LIFE = lived(1_100);

test("a record fits into an item, however long the names are and however often they change", () => {
  expect(sizeOf(LONG_LIFE)).toBeLessThan(ITEM_BYTES_MAX);
  expect(sizeOf(mergedNames(LONG_LIFE, LONG_LIFE))).toBeLessThan(ITEM_BYTES_MAX);
});

test("what is left out is the oldest", () => {
  const { cameWith, strangers } = LONG_LIFE;
  expect(cameWith.at(-1)).toBe(longName(1_099));
  expect(cameWith.length).toBeLessThan(100);
  expect(strangers?.at(-1)).toBe("stranger-1099");
});

test("a conversation whose owner no longer fits is still not another's", () => {
  let record: NameRecord | undefined;
  for (let n = 0; n < 900; n += 1)
    record = changedName(record, { whose: { [`conversation-${n}`]: longName(n) } });
  const { whose = {} } = record ?? {};
  expect(Object.keys(whose)).toHaveLength(900);
  expect([whose["conversation-0"], whose["conversation-899"]]).toEqual(["", longName(899)]);
});

test("short names are all kept, up to their number", () => {
  let record: NameRecord | undefined;
  for (let n = 0; n < 150; n += 1) record = changedName(record, { came: `id-${n}` });
  expect(record?.cameWith).toHaveLength(100);
});

test("what strangers wrote is ownerless as soon as a person comes with the number, or leaves it", () => {
  const stranger = { id: "c1", after: "ana" };
  const written = changedName({ cameWith: ["ana"] }, { stranger });
  expect(written).toEqual({ cameWith: ["ana"], strangers: ["c1"] });
  expect(changedName(written, { came: "ben" })).toEqual({ cameWith: ["ana", "ben"], whose: { c1: "" } });
  expect(changedName(written, { left: "ana" })).toEqual({ cameWith: ["ana"], whose: { c1: "" } });
  expect(changedName(written, { left: "ben" })).toEqual(written);
  expect(changedName(undefined, { left: "ana" })).toEqual({ cameWith: ["ana"] });
});

test("no message is a stranger's if a person has come with the number meanwhile", () => {
  const change = { stranger: { id: "c1", after: "ana" } };
  expect(isTaken({ cameWith: ["ana"] }, change, "c1")).toBe(false);
  expect(isTaken({ cameWith: ["ana", "ben"] }, change, "c1")).toBe(true);
});

test("an imported record's strangers are ownerless where another person has come since", () => {
  const imported = { cameWith: ["ana"], strangers: ["c1"] };
  expect(mergedNames({ cameWith: ["ana"], strangers: ["c2"] }, imported).strangers).toEqual(["c1", "c2"]);
  expect(mergedNames({ cameWith: ["ana", "ben"] }, imported)).toEqual({
    cameWith: ["ana", "ben"],
    whose: { c1: "" },
  });
});
