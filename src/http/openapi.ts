import { withoutUser } from "../core/plain-url.ts";
import { componentsIn, type ObjectSchema, type Schema } from "../core/schema.ts";
import { ERROR } from "./api-schemas.ts";
import { publicSchema } from "./public-schema.ts";
import type { Route } from "./route.ts";

const TOKENS =
  "LULL_API_TOKEN; for late answers to turns also LULL_TURN_TOKEN. " +
  "Without one: programs on the same machine only, and none where a public URL is set.";

/** OpenAPI 3.1 from the same table that the API routes by: what is not in one is not in the other. */
export function openapiOf(routes: readonly Route[], publicUrl: string | undefined): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = { ...operations, [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lull",
      version: "1",
      description:
        "Waits for the lull in a chat, then answers once. Times are ISO 8601, durations are seconds.",
    },
    servers: [{ url: withoutUser(publicUrl ?? "/") }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: componentsIn(paths),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: TOKENS },
      },
    },
  };
}

function operationOf(route: Route): unknown {
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.path.split("/")[2]],
    parameters: parametersOf(route),
    ...(route.body && { requestBody: requestBodyOf(publicSchema(route.body)) }),
    responses: {
      ...Object.fromEntries(Object.entries(route.answers).map(([status, each]) => [status, answerOf(each)])),
      default: answerOf({ description: "Refused; the code says why", schema: ERROR }),
    },
  };
}

function parametersOf(route: Route): unknown[] {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const query = Object.entries(route.query ?? {}).map(([name, schema]) => ({ name, in: "query", schema }));
  return route.path.includes("{id}") ? [id, ...query] : query;
}

function requestBodyOf(schema: ObjectSchema): unknown {
  return { required: (schema.required ?? []).length > 0, content: { "application/json": { schema } } };
}

function answerOf({ description, schema }: { description: string; schema: Schema }): unknown {
  return { description, content: { "application/json": { schema: publicSchema(schema) } } };
}
