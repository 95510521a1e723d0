import { expect, it } from "vitest";
import { elsewhereShown } from "./elsewhere.ts";

it("what waits for another system says since when, and until when at the latest", () => {
  const settings = { honourStatusForMsMax: 3_600_000, clockSkewMs: 2_000 };
  expect(elsewhereShown(0, settings, 120_000)).toBe(
    "waits for another system since 2 min ago; goes on without it in 58 min at the latest",
  );
});
