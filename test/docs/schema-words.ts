/** A schema of the published document, as far as it is used there. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}

/** A row for each member: its name, a question mark if it may be left out, what it is, what it means. */
export function membersTable(head: string, { properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const shown = `\`${name}${required.includes(name) ? "" : "?"}\``;
    return `| ${shown} | ${shapeOf(schema)} | ${inCell(meaningOf(schema))} |`.replaceAll("|  |", "| |");
  });
  return [`| ${head} | | |`, "|---|---|---|", ...rows].join("\n");
}

/** What it is, in a few words; a named shape is a link to it. */
export function shapeOf(schema: JsonSchema): string {
  const { $ref, type, items, properties, enum: choices, format, maxLength } = schema;
  if ($ref !== undefined) return linkTo($ref.split("/").at(-1)!);
  if (choices) return choices.map((each) => `\`${each}\``).join(" or ");
  if (items) return `list of ${shapeOf(items)}`;
  if (properties) return objectOf(schema);
  if (type === "integer" || type === "number") return numberOf(schema);
  if (format === "date-time") return "time";
  if (type === "string")
    return maxLength === undefined ? "text" : `text, ${inDigits(maxLength)} characters at most`;
  return type === undefined ? "anything" : type;
}

function linkTo(name: string): string {
  return `[${name}](#${name.toLowerCase()})`;
}

function objectOf({ properties = {}, required = [] }: JsonSchema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `\`${name}${required.includes(name) ? "" : "?"}\`: ${shapeOf(schema)}`,
  );
  return members.length === 0 ? "an empty object" : members.join("; ");
}

function numberOf({ type, minimum, maximum }: JsonSchema): string {
  const word = type === "integer" ? "whole number" : "number";
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${word} from ${minimum ?? 0} to ${inDigits(maximum)}` : word;
}

function meaningOf({ description = "", default: value }: JsonSchema): string {
  return value === undefined ? description : `${description} Default: ${String(value)}.`.trim();
}

function inDigits(number: number): string {
  return number.toLocaleString("en-US");
}

function inCell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}
