import { expect, it } from "vitest";
import { elsewhereShown } from "./elsewhere.ts";

const settings = { honourStatusForMs: 600_000, honourStatusForMsMax: 3_600_000, clockSkewMs: 2_000 };

it("what waits for another system says since when, and until when", () => {
  expect(elsewhereShown(0, settings, 120_000)).toBe(
    "waits for another system since 2 min ago; goes on without it in 8 min unless it changes, " +
      "in 58 min at the latest",
  );
});

it("and until when at the latest, where the other system has changed it since, or that is all", () => {
  const latest = "waits for another system since 20 min ago; goes on without it in 40 min at the latest";
  expect(elsewhereShown(0, settings, 1_200_000)).toBe(latest);
  const once = { ...settings, honourStatusForMs: 3_600_000 };
  expect(elsewhereShown(0, once, 1_200_000)).toBe(latest);
});
