import { InvalidRequest, LullError, tellable } from "../errors.ts";
import type { Service } from "../runtime/service.ts";
import { problemsIn, TO_PROGRAMS } from "../schema/problems.ts";
import { anything, type ObjectSchema, type Schema } from "../schema/schema.ts";
import { failure, json, methodNotAllowed, notFound } from "./answers.ts";
import type { Admit, Caller } from "./api-access.ts";
import { CONVERSATION_ROUTES } from "./conversation-routes.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge-request.ts";
import { isPossibleId } from "./ids.ts";
import { LISTING_ROUTES } from "./listing-routes.ts";
import { openapiOf } from "./openapi.ts";
import { PEOPLE_ROUTES } from "./people-routes.ts";
import { PROJECT_ROUTES } from "./project-routes.ts";
import { toPublic } from "./public-json.ts";
import { fromPublic, publicSchema } from "./public-schema.ts";
import { REPAIR_ROUTES } from "./repair-routes.ts";
import { type RequestLimits, tooMany, unread } from "./request-limits.ts";
import type { ApiCall, ApiResult, ApiService, Route } from "./route.ts";
import { TURN_ROUTES } from "./turn-routes.ts";

/** Every route of the API, the document that describes them included. */
export const ROUTES: readonly Route[] = [
  ...CONVERSATION_ROUTES,
  ...TURN_ROUTES,
  ...LISTING_ROUTES,
  ...REPAIR_ROUTES,
  ...PEOPLE_ROUTES,
  ...PROJECT_ROUTES,
  {
    method: "GET",
    path: "/api/openapi.json",
    operation: "openapi",
    forProjects: true,
    summary: "This document",
    answers: { 200: { description: "OpenAPI 3.1", schema: anything() } },
    run: async ({ service }) => ({ status: 200, body: openapiOf(ROUTES, service.publicUrl), verbatim: true }),
  },
];

export function createApi(
  service: Service,
  limits: RequestLimits,
  admit: Admit,
): (request: EdgeRequest) => Promise<EdgeAnswer> {
  const table = tableOf(ROUTES);
  return async (request) => {
    const asked = await admit(request);
    if (asked.kind === "refused") return asked.answer;
    const target = targetOf(request.path);
    const methods = target && table.get(target.pattern);
    const mayAll = asked.caller === "operator";
    const { project } = asked;
    if (!mayAll && ![...(methods?.values() ?? [])].some((route) => route.forResponders))
      return turnsOnly(service, project);
    if (!target || !methods) return notFound("there is no such route; GET /api/openapi.json lists them all");
    const route = methods.get(request.method === "HEAD" ? "GET" : request.method);
    if (!route) return methodNotAllowed([...methods.keys()]);
    const called = { limits, route, id: target.id, request };
    // No channel's project is called so: its visitors share no room with those who have a token.
    const party = `/api/${project ?? ""}`;
    if (project === undefined) return { ...(await call({ ...called, service })), party };
    if (!route.forProjects) return forAll();
    const theirs = { ...service, ...service.forProject(project) };
    return { ...(await call({ ...called, service: theirs, by: { project, caller: asked.caller } })), party };
  };
}

/** A responder calls nothing else: a turn token that does may have been stolen. */
export function turnsOnly({ sampled }: Service, project: string | undefined): EdgeAnswer {
  const reason = "a turn token, for something else than a turn";
  sampled.note("warn", "api.refused", { reason, ...(project !== undefined && { project }) });
  return failure(403, "FORBIDDEN", "this token may only answer turns");
}

/** Nothing that tells of other projects. */
export function forAll(): EdgeAnswer {
  return failure(403, "FORBIDDEN", "this is for all projects, and the token is for one");
}

interface Called {
  readonly service: ApiService;
  readonly limits: RequestLimits;
  readonly route: Route;
  readonly id: string;
  readonly request: EdgeRequest;
  /** Whose token it was, where it is a project's. */
  readonly by?: { readonly project: string; readonly caller: Caller };
}

async function call({ service, limits, route, id, request, by }: Called): Promise<EdgeAnswer> {
  try {
    const query = checkedQuery(request.query, route.query ?? {});
    const { intake, slots, searches, lists } = limits.proven(by?.project);
    const isSearch = query.search !== undefined;
    const isList = route.query !== undefined && !isSearch;
    const carryOut = (raw?: Buffer) => {
      const run = () => carriedOut({ service, route, id, query, raw, ...(by && { by }) });
      return (isSearch ? searches : slots).use(() => (isList && lists ? lists.useNext(run) : run()), tooMany);
    };
    if (!route.body) return await carryOut();
    const { bodyBytesMax } = service.settings;
    return await intake.during(async (reading) => {
      const raw = await request.body(bodyBytesMax, reading);
      return typeof raw === "string" ? unread(raw, bodyBytesMax) : carryOut(raw);
    });
  } catch (error) {
    const refused = error instanceof LullError ? refusalOf(error) : undefined;
    if (refused) return refused;
    throw error;
  }
}

interface Asked extends Pick<Called, "service" | "route" | "id" | "by"> {
  readonly query: ReturnType<typeof checkedQuery>;
  readonly raw: Buffer | undefined;
}

async function carriedOut({ query, raw, ...called }: Asked): Promise<EdgeAnswer> {
  const { service, route, id } = called;
  const body = raw && route.body ? checkedBody(raw, route.body) : {};
  const result = await audited(called, async (note) =>
    route.run({ service, engine: await service.engine(), id, query, body, note }),
  );
  return json(result.status, result.verbatim ? result.body : toPublic(result.body));
}

/**
 * Operators ask who changed this, and when. A call that breaks off may have changed something, unless it was
 * refused before it began.
 */
async function audited(
  { service, route, id, by }: Pick<Called, "service" | "route" | "id" | "by">,
  run: (note: ApiCall["note"]) => Promise<ApiResult>,
): Promise<ApiResult> {
  let made: string | undefined;
  const about = () => ({
    action: route.operation,
    ...((made ?? id) && { id: made ?? id }),
    ...(by && { project: by.project, caller: by.caller }),
  });
  const isChange = route.method !== "GET";
  try {
    const result = await run((newId) => {
      made = newId;
    });
    if (isChange && result.status < 300) service.log("info", "api.done", about());
    return result;
  } catch (error) {
    if (isChange && (made !== undefined || !isRefusal(error)))
      service.log("warn", "api.failed", { ...about(), reason: tellable(error) });
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof LullError && refusalOf(error) !== undefined;
}

/** What the caller asked for and cannot have, as the error words it. Everything else is for the log. */
function refusalOf({ code, message, retryAfterMs = 0 }: LullError): EdgeAnswer | undefined {
  if (code === "INVALID_REQUEST") return failure(400, code, message);
  if (code === "FORBIDDEN") return failure(403, code, message);
  if (code === "REPLY_TOO_LARGE") return failure(413, code, message);
  if (code === "NUMBER_PASSED_ON") return failure(409, code, message);
  if (code !== "RATE_LIMITED") return undefined;
  return failure(429, code, message, { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) });
}

/**
 * `JSON.parse` reads any depth. `JSON.stringify`, through which everything stored or answered goes, does not
 * write any depth.
 */
const NESTING_MAX = 100;
/** Enough to see what is wrong. A body can have a hundred thousand mistakes. */
const PROBLEMS_MAX = 10;

/** In our own words. An empty body is an empty object: most actions need no input. */
function checkedBody(raw: Buffer, schema: ObjectSchema): unknown {
  const body = raw.length === 0 ? {} : parsed(raw);
  if (isDeeperThan(body, NESTING_MAX))
    throw new InvalidRequest(`the body is nested deeper than ${NESTING_MAX}`);
  const problems = problemsIn(body, publicSchema(schema), "", TO_PROGRAMS);
  if (problems.length > 0) throw new InvalidRequest(inWords(problems));
  return fromPublic(body, schema);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1));
}

function inWords(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_MAX;
  return [...problems.slice(0, PROBLEMS_MAX), ...(more > 0 ? [`and ${more} more`] : [])]
    .join("; ")
    .toWellFormed();
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString("utf8"));
  } catch {
    throw new InvalidRequest("the body is not JSON");
  }
}

function checkedQuery(query: URLSearchParams, schemas: Readonly<Record<string, Schema>>) {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const given = query.get(name);
    if (given === null || given === "") continue;
    const value = typed(given, schema);
    const problems = problemsIn(value, schema, name, TO_PROGRAMS);
    if (problems.length > 0) throw new InvalidRequest(problems.join("; "));
    values[name] = value;
  }
  return values;
}

/**
 * A query is all text. A value that cannot be read as its type stays text, and validation then refuses it.
 */
function typed(given: string, schema: Schema): string | number | boolean {
  if (schema.type === "boolean")
    return given === "true" || given === "1" ? true : given === "false" || given === "0" ? false : given;
  if (schema.type !== "integer" && schema.type !== "number") return given;
  return Number.isNaN(Number(given)) ? given : Number(given);
}

/** By path pattern, then by method: a caller that uses the wrong method is told the right ones. */
function tableOf(routes: readonly Route[]): Map<string, Map<string, Route>> {
  const table = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = table.get(route.path) ?? new Map<string, Route>();
    table.set(route.path, methods.set(route.method, route));
  }
  return table;
}

/**
 * `/api/dead/d_1/retry` -> `/api/dead/{id}/retry` and `d_1`. Undefined for invalid percent encoding and for
 * an empty id.
 */
function targetOf(path: string): { pattern: string; id: string } | undefined {
  const [, , kind = "", id, ...rest] = path.split("/");
  // `/api/conversations//close` lost its id on the way; it must not be read as `/api/conversations`.
  if (!id) return rest.length === 0 ? { pattern: `/api/${kind}`, id: "" } : undefined;
  try {
    const decoded = decodeURIComponent(id);
    if (!isPossibleId(decoded)) return undefined;
    return { pattern: ["/api", kind, "{id}", ...rest].join("/"), id: decoded };
  } catch {
    return undefined;
  }
}
