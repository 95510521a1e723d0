import type { Inspector } from "../ports/inspector.ts";
import type { Schema } from "../schema/schema.ts";
import { COUNTS, DEAD_LETTER, LOCK, QUARANTINED_ROW, REFUSAL, UNKNOWN_SEND } from "./api-schemas.ts";
import { listing, ok, PAGE_QUERY, pageOf, type Route, route } from "./route.ts";

/** Reading for people and dashboards, straight from the inspector. */
export const LISTING_ROUTES: readonly Route[] = [
  listed("locks", "listLocks", "Windows and leases as they stand now", LOCK),
  listed(
    "dead",
    "listDeadLetters",
    "Messages that got no turn, kept whole with the reason, and how much of a reply went out",
    DEAD_LETTER,
  ),
  listed("unknown", "listUnknownSends", "Sends whose outcome is unknown", UNKNOWN_SEND),
  listed("refusals", "listRefusals", "Why messages got no turn", REFUSAL),
  route({
    method: "GET",
    path: "/api/quarantined",
    operation: "listQuarantined",
    summary: "Rows of the store that were not ours: they stop no conversation, and wait for a person",
    query: PAGE_QUERY,
    answers: { 200: { description: "A page", schema: listing(QUARANTINED_ROW) } },
    run: async ({ engine, query }) => ok(await engine.inspector.quarantined(pageOf(query))),
  }),
  route({
    method: "GET",
    path: "/api/counts",
    operation: "getCounts",
    summary: "How much there is of everything",
    answers: { 200: { description: "Counts", schema: COUNTS } },
    run: async ({ engine }) => ok(await engine.inspector.counts()),
  }),
];

type Listed = Extract<keyof Inspector, "locks" | "dead" | "unknown" | "refusals">;

function listed(kind: Listed, operation: string, summary: string, item: Schema): Route {
  return route({
    method: "GET",
    path: `/api/${kind}`,
    operation,
    summary,
    forProjects: true,
    query: PAGE_QUERY,
    answers: { 200: { description: "A page", schema: listing(item) } },
    run: async ({ engine, query }) => ok(await engine.inspector[kind](pageOf(query))),
  });
}
