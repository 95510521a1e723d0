import { expect, test } from "vitest";
import { unreadLimits } from "./limits.ts";

test("a limit that is only passed on is found; one that a source names is not", () => {
  const found = unreadLimits(
    ["leaseMs", "napMs"],
    [
      ["core/lease.ts", "const until = nowMs + settings.leaseMs; // napMsMax"],
      ["core/defaults.ts", "napMs: LIMIT_DEFAULTS.napMs"],
      ["model/limits.ts", "napMs: { ...SECONDS }"],
      ["runtime/worker.test.ts", "settings.napMs"],
    ],
  );
  expect(found).toEqual(["napMs"]);
});
