import { expect, test } from "vitest";
import { BODY_BYTES_PER_SECOND_MIN, BODY_PATIENCE_MS } from "./defaults.ts";

test("a body that brings less than 1,000 bytes in each of three seconds is too slow", () => {
  expect([BODY_BYTES_PER_SECOND_MIN, BODY_PATIENCE_MS]).toEqual([1_000, 3_000]);
});
