import { nameShown } from "./customer.ts";
import { oneLine } from "./table.ts";

const VALUE_MAX = 60;
const ROWS_MAX = 20;

/** What an application or another system keeps with a conversation: rows of name and value, both short. */
export function attributesShown(attributes: Readonly<Record<string, unknown>>): string[][] {
  const all = Object.entries(attributes);
  const rows = all.slice(0, ROWS_MAX).map(([name, value]) => [nameShown(name), valueShown(value)]);
  return all.length > ROWS_MAX ? [...rows, ["…", `${all.length - ROWS_MAX} more: --json`]] : rows;
}

function valueShown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return oneLine(text, VALUE_MAX);
}
