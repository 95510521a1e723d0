import type { Engine } from "../ports/engine.ts";
import type { Service } from "../runtime/service.ts";
import { list, type ObjectSchema, object, type Schema, text } from "./schema.ts";

/** One call of the API, checked against its route. */
export interface ApiCall {
  readonly service: Service;
  readonly engine: Engine;
  /** The `{id}` of the path; empty where there is none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Says which id came into being, for the line in the log. */
  readonly note: (id: string) => void;
}

/** In our own shapes; the API makes them public. */
export interface ApiResult {
  readonly status: number;
  readonly body: unknown;
  /** Already public: not to be converted again. */
  readonly verbatim?: boolean;
}

/** One row of the table that both the API and its OpenAPI document are made from. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** With at most one `{id}`, always the second segment after `/api`. */
  readonly path: `/api/${string}`;
  readonly operation: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly body?: ObjectSchema;
  /** Whoever has the token that may only answer turns may use it, too. */
  readonly forResponders?: true;
  /** Successful answers, and what else this route in particular may say. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema: Schema }>>;
  run(call: ApiCall): Promise<ApiResult>;
}

/** Something that the caller has to put right. */
export class BadRequest extends Error {}

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 500;

export const PAGE_QUERY: Readonly<Record<string, Schema>> = {
  limit: {
    type: "integer",
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: "Items per page.",
  },
  cursor: { type: "string", description: "What the page before gave as `next`." },
};

export function pageOf({ query }: ApiCall): { limit: number; cursor?: string } {
  const { limit, cursor } = query;
  return {
    limit: typeof limit === "number" ? limit : LIMIT_DEFAULT,
    ...(typeof cursor === "string" && cursor !== "" && { cursor }),
  };
}

export function ok(body: unknown, status = 200): ApiResult {
  return { status, body };
}

/** What a page of something looks like. */
export function listing(item: Schema): Schema {
  return object({ items: list(item), next: text("The cursor of the next page; absent on the last.") }, [
    "items",
  ]);
}

export function missing(what: string): ApiResult {
  return refusal(404, "NOT_FOUND", `there is no such ${what}`);
}

export function refusal(status: number, code: string, message: string): ApiResult {
  return { status, body: { error: { code, message } } };
}
