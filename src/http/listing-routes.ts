import { withReplySent } from "../core/draft.ts";
import type { Inspector } from "../ports/inspector.ts";
import { listing, ok, PAGE_QUERY, pageOf, type Route } from "./route.ts";
import { ref } from "./schema.ts";

/** Reading for people and dashboards, straight from the inspector. */
export const LISTING_ROUTES: readonly Route[] = [
  listed("locks", "listLocks", "Windows and leases as they stand now", "Lock"),
  {
    ...listed(
      "dead",
      "listDeadLetters",
      "Messages that got no turn, kept whole with the reason, and how much of a reply went out",
      "DeadLetter",
    ),
    async run(call) {
      const { items, ...page } = await call.engine.inspector.dead(pageOf(call));
      return ok({
        items: items.map(withReplySent),
        ...page,
      });
    },
  },
  listed("unknown", "listUnknownSends", "Sends whose outcome nobody could tell", "UnknownSend"),
  listed("refusals", "listRefusals", "Why messages got no turn", "Refusal"),
  {
    method: "GET",
    path: "/api/quarantined",
    operation: "listQuarantined",
    summary: "Rows of the store that were not ours: they stop nobody, and wait for a person",
    query: PAGE_QUERY,
    answers: { 200: { description: "A page", schema: listing(ref("QuarantinedRow")) } },
    run: async (call) => ok((await call.engine.inspector.quarantined?.(pageOf(call))) ?? { items: [] }),
  },
  {
    method: "GET",
    path: "/api/counts",
    operation: "getCounts",
    summary: "How much there is of everything",
    answers: { 200: { description: "Counts", schema: ref("Counts") } },
    run: async ({ engine }) => ok(await engine.inspector.counts()),
  },
];

type Listed = Extract<keyof Inspector, "locks" | "dead" | "unknown" | "refusals">;

function listed(kind: Listed, operation: string, summary: string, schema: string): Route {
  return {
    method: "GET",
    path: `/api/${kind}`,
    operation,
    summary,
    query: PAGE_QUERY,
    answers: { 200: { description: "A page", schema: listing(ref(schema)) } },
    run: async (call) => ok(await call.engine.inspector[kind](pageOf(call))),
  };
}
