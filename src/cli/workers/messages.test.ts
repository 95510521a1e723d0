import { expect, test } from "vitest";
import { isFree, isPing, isServe, isWorkerMessage } from "./messages.ts";

test("a message is a worker's, its parent's, or none of ours", () => {
  const whose = (message: unknown) => ({
    worker: isWorkerMessage(message),
    parent: [isPing, isServe, isFree].some((is) => is(message)),
  });
  for (const lull of ["checked", "alone", "identity", "ready", "failed", "pong", "freed", "not-freed"])
    expect(whose({ lull }), lull).toEqual({ worker: true, parent: false });
  for (const lull of ["ping", "serve", "free"])
    expect(whose({ lull }), lull).toEqual({ worker: false, parent: true });
  for (const other of [{ lull: "party" }, { lull: "toString" }, { lull: {} }, {}, "pong", null, undefined])
    expect(whose(other)).toEqual({ worker: false, parent: false });
});
