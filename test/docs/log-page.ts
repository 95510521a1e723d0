import type { LogEvent } from "./log-events.ts";

const HEAD = "| event | level | fields | means | act when |";

/** One row of the tables of log events: what it names, and the cells in the order of the page. */
interface EventRow {
  readonly events: readonly string[];
  readonly level: string;
  readonly cells: readonly string[];
}

export function rowsIn(page: string): EventRow[] {
  return page.split("\n").flatMap((line) => rowOf(line) ?? []);
}

/** The page with the fields of every event as the sources have them. */
export function withFields(page: string, events: readonly LogEvent[]): string {
  return page
    .split("\n")
    .map((line) => {
      const row = rowOf(line);
      if (row === undefined) return line;
      const [names = "", level = "", , ...rest] = row.cells;
      return `| ${[names, level, fieldsOf(row, events), ...rest].join(" | ")} |`.replaceAll("|  |", "| |");
    })
    .join("\n");
}

/** Undefined where it is no row of such a table: those of others have no level in their second column. */
function rowOf(line: string): EventRow | undefined {
  const cells = line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
  const [names = "", level = ""] = cells;
  const isRow = cells.length === HEAD.split("|").length - 2 && /^(debug|info|warn|error)$/.test(level);
  if (!isRow) return undefined;
  return { events: [...names.matchAll(/`([^`]+)`/g)].map(([, event = ""]) => event), level, cells };
}

function fieldsOf({ events, level }: EventRow, known: readonly LogEvent[]): string {
  const told = events.map((event) => {
    const { fields = [] } = known.find((each) => each.event === event && each.level === level) ?? {};
    return fields.map((field) => `\`${field}\``).join(", ");
  });
  if (new Set(told).size > 1)
    throw new Error(`${events.join(", ")} have other fields each: give them a row each`);
  return told[0] ?? "";
}
