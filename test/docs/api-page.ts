import { ROUTES } from "../../src/http/api.ts";
import { openapiOf } from "../../src/http/openapi.ts";
import { curlOf } from "./curl.ts";
import { type JsonSchema, membersTable, shapeOf } from "./schema-words.ts";

const PLACE = /<!-- (routes|shapes) -->\n[\s\S]*?<!-- end -->/g;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

type Content = { readonly "application/json": { readonly schema: JsonSchema } };

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** As it is published, no more: what the page knows, a program knows, too. */
const DOCUMENT = JSON.parse(JSON.stringify(openapiOf(ROUTES, undefined))) as Document;

/** What each part of the API is about, by the first word of its paths. */
const HEADINGS: Readonly<Record<string, string>> = {
  conversations: "Conversations",
  turns: "Turns",
  dead: "Dead letters",
  unknown: "Unknown sends",
  locks: "Locks",
  refusals: "Refusals",
  quarantined: "Quarantine",
  counts: "How much there is",
  people: "People",
  pause: "Pausing everything",
  resume: "Pausing everything",
  projects: "Projects",
  visitors: "Visitors",
  "openapi.json": "The document itself",
};

/** The page with its routes and shapes written anew. */
export function withRoutes(page: string): string {
  const written: Readonly<Record<string, () => string>> = { routes, shapes };
  return page.replaceAll(PLACE, (_, what: string) => `<!-- ${what} -->\n${written[what]!()}\n\n<!-- end -->`);
}

function routes(): string {
  const all = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const order = [...new Set(Object.values(HEADINGS))];
  const byHeading = Map.groupBy(all, ({ operation }) => headingOf(operation));
  return order
    .flatMap((heading) => [`## ${heading}`, ...(byHeading.get(heading) ?? []).map(sectionOf)])
    .join("\n\n");
}

function headingOf({ tags: [tag = ""] }: Operation): string {
  const heading = HEADINGS[tag];
  if (heading === undefined) throw new Error(`routes of /api/${tag} have no heading in the page`);
  return heading;
}

interface Called {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function sectionOf({ method, path, operation }: Called): string {
  const { operationId, summary, requestBody, parameters, responses } = operation;
  const query = parameters.filter((each) => each.in === "query");
  const body = requestBody?.content["application/json"].schema;
  return [
    `### ${method} ${path}`,
    `${summary}. (\`${operationId}\`)`,
    ...(query.length > 0 ? [queryTable(query)] : []),
    ...(body && Object.keys(body.properties ?? {}).length > 0 ? [membersTable("body", body)] : []),
    answersTable(responses),
    `\`\`\`sh\n${curlOf(method, path, operationId)}\n\`\`\``,
  ].join("\n\n");
}

function queryTable(query: readonly Parameter[]): string {
  const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
  const required = query.filter((each) => each.required).map(({ name }) => name);
  return membersTable("query", { type: "object", properties, required });
}

function answersTable(responses: Operation["responses"]): string {
  const rows = Object.entries(responses).filter(([status]) => status !== "default");
  const lines = rows.map(([status, { description, content }]) => {
    const { schema } = content["application/json"];
    return `| ${status} | ${description} | ${shapeOf(schema)} |`;
  });
  return ["| answer | | |", "|---|---|---|", ...lines].join("\n");
}

function shapes(): string {
  const named = Object.entries(DOCUMENT.components.schemas).toSorted(([a], [b]) => a.localeCompare(b));
  return named
    .map(([name, schema]) =>
      [`### ${name}`, ...described(schema), membersTable("field", schema)].join("\n\n"),
    )
    .join("\n\n");
}

function described({ description }: JsonSchema): string[] {
  return description === undefined ? [] : [description];
}
