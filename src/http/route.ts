import type { OperatedEngine } from "../ports/engine.ts";
import type { Page } from "../ports/inspector.ts";
import type { Operations } from "../runtime/operations.ts";
import type { Service } from "../runtime/service.ts";
import {
  type Infer,
  list,
  type ObjectSchema,
  object,
  optional,
  type Schema,
  text,
  whole,
} from "../schema/schema.ts";
import type { ERROR } from "./api-schemas.ts";

/** What a route may be asked in its query: each may be left out. */
type QuerySchemas = Readonly<Record<string, Schema<string | number | boolean>>>;
type Queried<Q extends QuerySchemas> = { readonly [Name in keyof Q]?: Infer<Q[Name]> };

/** What a call may use of the service: for a project's caller, that project's operations. */
export type ApiService = Omit<Service, "engine"> & Operations;

/** One call of the API, checked against its route. */
export interface ApiCall<Body = unknown, Query = unknown> {
  readonly service: ApiService;
  readonly engine: OperatedEngine;
  /** The `{id}` of the path; empty where there is none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Names the id that was created, for the line in the log. */
  readonly note: (id: string) => void;
}

/** In our own shapes; the API makes them public. */
export interface ApiResult<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  /** Already public: not to be converted again. */
  readonly verbatim?: boolean;
}

type AnswerSchemas = Readonly<Record<number, { readonly description: string; readonly schema: Schema }>>;
type Answered<A extends AnswerSchemas> = Infer<A[number & keyof A]["schema"]> | Infer<typeof ERROR>;

/** What the OpenAPI document says of a path. */
export interface Described<
  Body = unknown,
  Query extends QuerySchemas = QuerySchemas,
  Answers extends AnswerSchemas = AnswerSchemas,
> {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** What it is listed with; the first word after `/api` where left out. */
  readonly tag?: string;
  /** How callers prove who they are; with a token where left out. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly query?: Query;
  /** What of the query may not be left out. */
  readonly required?: readonly string[];
  /** In the library's words; callers say it in the API's. */
  readonly body?: ObjectSchema<Body>;
  /** Successful answers, and what else this route in particular may say. */
  readonly answers: Answers;
  /** Every other answer; an `Error` where left out. */
  readonly refused?: Schema;
}

/** One row of the table that both the API and its OpenAPI document are made from. */
export interface Route<
  Body = unknown,
  Query extends QuerySchemas = QuerySchemas,
  Answers extends AnswerSchemas = AnswerSchemas,
> extends Described<Body, Query, Answers> {
  /** With at most one `{id}`, always the second segment after `/api`. */
  readonly path: `/api/${string}`;
  /** A caller with the token that may only answer turns may use it as well. */
  readonly forResponders?: true;
  /**
   * A caller with the token of one project may use it, and reaches nothing of another's: `service` and
   * `engine` are that project's then. What does not say so concerns all projects, and is the operator's.
   */
  readonly forProjects?: true;
  run(call: ApiCall<Body, Queried<Query>>): Promise<ApiResult<Answered<Answers>>>;
}

/** A row as it stands, whose `run` is given and gives what its own schemas say. */
export function route<Body, Query extends QuerySchemas, Answers extends AnswerSchemas>(
  row: Route<Body, Query, Answers>,
): Route {
  return row as unknown as Route;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

export const PAGE_QUERY = {
  limit: { ...whole({ minimum: 1, maximum: LIMIT_MAX }, "Items per page."), default: LIMIT_DEFAULT },
  cursor: text("What the page before gave as `next`."),
};

export function pageOf({ limit = LIMIT_DEFAULT, cursor }: Queried<typeof PAGE_QUERY>): Page {
  return { limit, ...(cursor !== undefined && { cursor }) };
}

export function ok<Body>(body: Body, status = 200): ApiResult<Body> {
  return { status, body };
}

/** What a page of something looks like. */
export function listing<T>(item: Schema<T>) {
  return object({
    items: list(item),
    next: optional(text("The cursor of the next page; absent on the last.")),
  });
}

export function missing(what: string): ApiResult<Infer<typeof ERROR>> {
  return refusal(404, "NOT_FOUND", `there is no such ${what}`);
}

export function refusal(status: number, code: string, message: string): ApiResult<Infer<typeof ERROR>> {
  return { status, body: { error: { code, message } } };
}
