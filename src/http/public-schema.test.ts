import { expect, test } from "vitest";
import { problemsIn, TO_PROGRAMS } from "../schema/problems.ts";
import {
  anything,
  component,
  instant,
  list,
  object,
  optional,
  ruled,
  text,
  whole,
} from "../schema/schema.ts";
import { toPublic } from "./public-json.ts";
import { fromPublic, publicSchema } from "./public-schema.ts";

const PLACE = component(
  "Place",
  object({ streetName: text("Beside `houseNumber`."), houseNumber: whole({}) }),
);

const VISIT = ruled(
  object({
    visitorId: text(),
    cameAtMs: instant("Before `leftAtMs`."),
    leftAtMs: optional(instant()),
    placesSeen: list(PLACE),
    attributes: optional(anything()),
  }),
  ({ visitorId, placesSeen }, called) =>
    visitorId === placesSeen[0]?.streetName ? `${called("visitorId")} is no street` : undefined,
);

test("a schema of ours says of an answer what the answer is made into", () => {
  const visit = {
    visitorId: "v",
    cameAtMs: 0,
    leftAtMs: undefined,
    placesSeen: [{ streetName: "a", houseNumber: 1 }],
    attributes: { camelCase: { atMs: 1 } },
  };
  expect(problemsIn(toPublic(visit), publicSchema(VISIT), "", TO_PROGRAMS)).toEqual([]);
  expect(publicSchema(VISIT)).toMatchObject({
    properties: {
      visitor_id: { type: "string" },
      came_at: { type: "string", format: "date-time", description: "Before `left_at`." },
      places_seen: { items: { $ref: "#/components/schemas/Place" } },
    },
    required: ["visitor_id", "came_at", "places_seen"],
  });
});

const SENT = {
  visitor_id: "v",
  came_at: "2025-11-15T08:00:00.000Z",
  places_seen: [{ street_name: "a", house_number: 1 }],
  attributes: { snake_case: { at_ms: 1 } },
};

test("what a caller sent is in our words at every level, except data of the caller's own", () => {
  expect(fromPublic(SENT, VISIT)).toEqual({
    visitorId: "v",
    cameAtMs: "2025-11-15T08:00:00.000Z",
    placesSeen: [{ streetName: "a", houseNumber: 1 }],
    attributes: { snake_case: { at_ms: 1 } },
  });
});

test("a rule reads what a caller sent, and answers in the caller's words", () => {
  expect(problemsIn({ ...SENT, visitor_id: "a" }, publicSchema(VISIT), "", TO_PROGRAMS)).toEqual([
    "visitor_id is no street",
  ]);
});

test("a rule is asked only where everything else fits", () => {
  expect(problemsIn({ ...SENT, places_seen: 1 }, publicSchema(VISIT), "", TO_PROGRAMS)).toEqual([
    "places_seen must be a list, not number",
  ]);
});
