import { KEPT_KINDS } from "../model/kept.ts";
import { PERSON_REQUEST } from "../runtime/people.ts";
import { SYNTHETIC_REQUEST } from "../runtime/synthetic-customers.ts";
import { adapted, anything, component, flag, list, object, oneOf, optional, text } from "../schema/schema.ts";
import { count } from "./api-schemas.ts";
import { type ApiResult, listing, ok, PAGE_QUERY, pageOf, type Route, route } from "./route.ts";

const KEPT = component(
  "KeptCounts",
  object(Object.fromEntries(KEPT_KINDS.map((kind) => [kind, optional(count())]))),
);

const OTHERS = list(
  text(),
  "Other people who had the number before, or have it by now: their rows are neither shown nor removed.",
);

const FOUND = object({
  kept: KEPT,
  places: list(
    object({
      channelType: text(),
      address: text("Our address."),
      names: list(text(), "The person's names there."),
      conversationIds: list(text()),
      others: OTHERS,
    }),
  ),
  others: OTHERS,
});

const ERASED = object({
  result: oneOf("erased", "erasing", "not-found"),
  removed: KEPT,
  left: KEPT,
  others: OTHERS,
});

const ITEM = component(
  "KeptItem",
  object({
    kind: oneOf(...KEPT_KINDS),
    channelType: optional(text()),
    address: optional(text("Our address.")),
    conversationId: optional(text()),
    record: anything("As its kind has it."),
  }),
);

const BODY = adapted(PERSON_REQUEST, {});

/** By POST throughout: an address in a path would be in the log of every proxy. */
const FIND = route({
  method: "POST",
  path: "/api/find-person",
  operation: "findPerson",
  forProjects: true,
  tag: "people",
  summary: "What is kept of a person, counted by kind",
  body: BODY,
  answers: { 200: { description: "Where it is, and how much", schema: FOUND } },
  run: async ({ service, body }) => ok(await service.findPerson(body)),
});

const ERASE = route({
  method: "POST",
  path: "/api/erase-person",
  operation: "erasePerson",
  forProjects: true,
  tag: "people",
  summary: "Erases a person from every conversation, under each of their names",
  body: BODY,
  answers: {
    200: { description: "Erased, or nothing was kept", schema: ERASED },
    202: {
      description:
        "Erased, but more has come meanwhile (`left`: ask once more), or bytes may stay in the database's " +
        "files until readers are done, or `lull compact`",
      schema: ERASED,
    },
  },
  run: async ({ service, body }) => {
    const erased = await service.erasePerson(body);
    const isWhole = erased.result !== "erasing" && Object.keys(erased.left).length === 0;
    return ok(erased, isWhole ? 200 : 202);
  },
});

const EXPORT = route({
  method: "POST",
  path: "/api/export-person",
  operation: "exportPerson",
  forProjects: true,
  tag: "people",
  summary: "All that is kept of a person, a page at a time; a page may be empty and have a next one",
  query: PAGE_QUERY,
  body: BODY,
  answers: { 200: { description: "A page", schema: listing(ITEM) } },
  run: async ({ service, query, body }): Promise<ApiResult<never>> =>
    ok((await service.personPage(body, pageOf(query))) as never),
});

const SYNTHETIC = route({
  method: "POST",
  path: "/api/erase-synthetic",
  operation: "eraseSynthetic",
  forProjects: true,
  tag: "people",
  summary: "Erases customers whom `lull load-test` made up, so many at once",
  body: SYNTHETIC_REQUEST,
  answers: { 200: { description: "How many", schema: object({ erased: count(), hasMore: flag() }) } },
  run: async ({ service, body }) => ok(await service.eraseSynthetic(body)),
});

export const PEOPLE_ROUTES: readonly Route[] = [FIND, ERASE, EXPORT, SYNTHETIC];
