import { expect, it } from "vitest";
import { announceGroup, beginGroup, newRest, rest } from "./store-pace.ts";

it("a thread rests after a group, unless the next one is announced", () => {
  const resting = newRest();
  announceGroup(resting);
  beginGroup(resting);
  expect(rest(resting)).toBe("timed-out");
  announceGroup(resting);
  expect(rest(resting)).toBe("not-equal");
});

it("a group that is announced before an earlier one begins is not forgotten with it", () => {
  const resting = newRest();
  announceGroup(resting);
  announceGroup(resting);
  beginGroup(resting);
  expect(rest(resting)).toBe("not-equal");
  beginGroup(resting);
  expect(rest(resting)).toBe("timed-out");
});
