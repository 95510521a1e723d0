import { withoutUser } from "../schema/plain-url.ts";
import { componentsIn, type ObjectSchema, type Schema } from "../schema/schema.ts";
import { ERROR } from "./api-schemas.ts";
import { publicSchema } from "./public-schema.ts";
import type { Described, Route } from "./route.ts";
import { VISITOR_ROUTES } from "./visitor-routes.ts";

const TOKENS =
  "LULL_API_TOKEN; for late answers to turns also LULL_TURN_TOKEN. " +
  "Without one: programs on the same machine only, and none where a public URL is set.";
const SIGNATURE =
  "The hex HMAC-SHA256 of `sender`, with the channel's secret. Without a secret: no proof is asked for.";

/**
 * OpenAPI 3.1 from the same table that the API routes by: what is not in one is not in the other. And
 * where visitors write and read.
 */
export function openapiOf(routes: readonly Route[], publicUrl: string | undefined): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of [...routes, ...VISITOR_ROUTES]) {
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
        visitor: { type: "apiKey", in: "header", name: "x-lull-signature", description: SIGNATURE },
      },
    },
  };
}

function operationOf(route: Described): unknown {
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.tag ?? route.path.split("/")[2]],
    ...(route.security && { security: route.security }),
    parameters: parametersOf(route),
    ...(route.body && { requestBody: requestBodyOf(publicSchema(route.body)) }),
    responses: {
      ...Object.fromEntries(Object.entries(route.answers).map(([status, each]) => [status, answerOf(each)])),
      default: answerOf({ description: "Refused; the code says why", schema: route.refused ?? ERROR }),
    },
  };
}

function parametersOf({ path, query = {}, required = [] }: Described): unknown[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: "path", required: true, schema: { type: "string" } },
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function requestBodyOf(schema: ObjectSchema): unknown {
  return { required: (schema.required ?? []).length > 0, content: { "application/json": { schema } } };
}

function answerOf({ description, schema }: { description: string; schema: Schema }): unknown {
  return { description, content: { "application/json": { schema: publicSchema(schema) } } };
}
