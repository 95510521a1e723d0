import { PROPS } from "../../src/cdk/prop-table.ts";
import type { NumberSchema, Schema } from "../../src/schema/schema.ts";

const PLACE = /<!-- props -->\n[\s\S]*?<!-- end -->/;
const HEAD = "| prop | default | |\n|---|---|---|";

/** The page with its table of the construct's props written anew. */
export function withProps(page: string): string {
  const rows = Object.entries(PROPS).flatMap(([name, { schema, otherwise, help }]) => [
    rowOf(name, schema, help, otherwise),
    ...objectsIn(schema)
      .filter(([, inner]) => defaultsIn(inner) !== "")
      .map(([key, inner]) => rowOf(`${name}.${key}`, inner, inner.description ?? "")),
  ]);
  return page.replace(PLACE, () => ["<!-- props -->", HEAD, ...rows, "", "<!-- end -->"].join("\n"));
}

function rowOf(name: string, schema: Schema, help: string, otherwise = defaultsIn(schema)): string {
  const ranges = rangesIn(schema);
  return `| \`${name}\` | ${otherwise} | ${ranges === "" ? help : `${help}. ${ranges}`} |`;
}

type Named<S> = readonly (readonly [name: string, schema: S])[];

function propertiesOf(schema: Schema): Named<Schema> {
  return schema.type === "object" ? Object.entries(schema.properties ?? {}) : [];
}

function objectsIn(schema: Schema): Named<Schema> {
  return propertiesOf(schema).filter(([, { type }]) => type === "object");
}

/** A number is its own only one, without a name. */
function numbersIn(schema: Schema): Named<NumberSchema & Schema> {
  const all = schema.type === "integer" ? [["", schema] as const] : propertiesOf(schema);
  return all.filter(([, { type }]) => type === "integer") as Named<NumberSchema & Schema>;
}

function defaultsIn(schema: Schema): string {
  return numbersIn(schema)
    .flatMap(([name, each]) => (each.default === undefined ? [] : [`${code(name)}${inDigits(each.default)}`]))
    .join(", ");
}

function rangesIn(schema: Schema): string {
  return numbersIn(schema)
    .map(([name, { minimum = 0, maximum = 0, description }]) => {
      const range = `${code(name)}${inDigits(minimum)} to ${inDigits(maximum)}`;
      return description === undefined ? range : `${range} (${description})`;
    })
    .join(", ");
}

function code(name: string): string {
  return name === "" ? "" : `\`${name}\` `;
}

function inDigits(number: number): string {
  return number.toLocaleString("en-US");
}
