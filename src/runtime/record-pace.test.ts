import { expect, it } from "vitest";
import { RecordPace } from "./record-pace.ts";

it("gives so many places a minute, refilled as time goes by and never more", () => {
  const pace = new RecordPace(60);
  expect([pace.take(59, 0), pace.take(2, 0), pace.take(1, 999)]).toEqual([59, 1, 0]);
  expect([pace.take(2, 1_000), pace.take(5, 4_000)]).toEqual([1, 3]);
  expect(pace.take(1_000, 3_600_000)).toBe(60);
});

it("takes back what was not needed, and no more than there is", () => {
  const pace = new RecordPace(60);
  pace.take(60, 0);
  pace.release(2);
  expect(pace.take(3, 0)).toBe(2);
  pace.release(100);
  expect(pace.take(100, 0)).toBe(60);
});

it("goes on after a clock that was set back", () => {
  const pace = new RecordPace(60);
  expect([pace.take(60, 100_000), pace.take(1, 0), pace.take(1, 1_000)]).toEqual([60, 0, 1]);
});
