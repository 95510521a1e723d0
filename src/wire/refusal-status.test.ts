import { expect, it } from "vitest";
import { isLasting } from "../core/refusals.ts";
import type { RefusalCode } from "../model/refusal.ts";
import { type CallerFamily, statusOf } from "./refusal-status.ts";

/** "Every refusal" of docs/from-the-seeds.md: Twilio, callers that retry all, programs that read it. */
const TABLE: Record<RefusalCode, [twilio: number, retrying: number, client: number]> = {
  INVALID_SIGNATURE: [403, 401, 401],
  // Callers that retry come back with the same body for days: an authentic one is taken, with the code.
  INVALID_PAYLOAD: [400, 200, 400],
  // Too large to be read, so whether it is authentic is unknown. It may be taken once the limit is raised.
  PAYLOAD_TOO_LARGE: [413, 413, 413],
  // Authentic, and recorded: it would be as large the next time.
  MESSAGE_TOO_LARGE: [200, 200, 413],
  CONVERSATION_NOT_FOUND: [200, 200, 404],
  PROJECT_INACTIVE: [200, 200, 403],
  CHANNEL_NOT_ALLOWED: [200, 200, 403],
  CONVERSATION_LOCKED: [200, 200, 409],
  ROUTE_NOT_FOUND: [200, 200, 500],
  RATE_LIMITED: [429, 429, 429],
  STORE_UNAVAILABLE: [503, 503, 503],
};

it.each(Object.entries(TABLE))("%s is answered as docs/from-the-seeds.md says", (code, expected) => {
  const families: CallerFamily[] = ["not-retrying", "retrying", "client"];
  expect(families.map((family) => statusOf(code as RefusalCode, family))).toEqual(expected);
});

it("no refusal is a success for every kind of caller", () => {
  expect(statusOf(undefined, "not-retrying")).toBe(200);
  expect(statusOf(undefined, "retrying")).toBe(200);
  expect(statusOf(undefined, "client")).toBe(200);
});

it("what is over once it is refused is what providers are told they need not bring again", () => {
  const codes = Object.keys(TABLE) as RefusalCode[];
  const received = codes.filter((code) => statusOf(code, "not-retrying") === 200);
  // Our own mistake: once it is repaired, the provider may be asked for it.
  expect(codes.filter(isLasting)).toEqual(received.filter((code) => code !== "ROUTE_NOT_FOUND"));
});
