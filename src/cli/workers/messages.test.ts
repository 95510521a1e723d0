import { expect, test } from "vitest";
import { isCount, isFree, isPing, isServe, isTotals, isWorkerMessage } from "./messages.ts";

const WORKERS = [
  ...["checked", "alone", "identity", "ready", "failed"],
  ...["pong", "counts", "total", "freed", "not-freed"],
];

test("a message is a worker's, its parent's, or none of ours", () => {
  const whose = (message: unknown) => ({
    worker: isWorkerMessage(message),
    parent: [isPing, isServe, isCount, isTotals, isFree].some((is) => is(message)),
  });
  for (const lull of WORKERS) expect(whose({ lull }), lull).toEqual({ worker: true, parent: false });
  for (const lull of ["ping", "serve", "count", "totals", "free"])
    expect(whose({ lull }), lull).toEqual({ worker: false, parent: true });
  for (const other of [{ lull: "party" }, { lull: "toString" }, { lull: {} }, {}, "pong", null, undefined])
    expect(whose(other)).toEqual({ worker: false, parent: false });
});
