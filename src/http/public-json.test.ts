import { expect, test } from "vitest";
import { toPublic } from "./public-json.ts";

test("instants become ISO times under their own name", () => {
  expect(toPublic({ atMs: 0, dueAtMs: 1_500, answerStartedAtMs: undefined, sendByAtMs: 1 })).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    due_at: "1970-01-01T00:00:01.500Z",
    send_by_at: "1970-01-01T00:00:00.001Z",
  });
});

test("windows are told in seconds, wherever they are", () => {
  expect(toPublic([{ window: { kind: "fixed", lengthMs: 1_500 } }])).toEqual([{ window: { seconds: 1.5 } }]);
  expect(toPublic({ window: { id: "w", dueAtMs: 0 } })).toEqual({
    window: { id: "w", due_at: "1970-01-01T00:00:00.000Z" },
  });
});

test("data that is not ours keeps its names, whatever they are", () => {
  const attributes = { orderId: 1, lastSeenAtMs: 5, nested: { kind: "fixed", lengthMs: 1 } };
  expect(toPublic({ attributes, fields: { ProfileName: "Ana" } })).toEqual({
    attributes,
    fields: { ProfileName: "Ana" },
  });
});
