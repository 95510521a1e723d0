import { spreadOf } from "../quantiles.ts";
import { loadTold, tableOf, told } from "../tables.ts";
import { type Compared, isMet, ratioOf, type ScaleResults } from "./scale-results.ts";

export function scaleTable({ day, machine, rows }: ScaleResults): string {
  const times = rows[0]?.small.length ?? 0;
  const cells = rows.map((row) => [
    row.about,
    told(spreadOf(row.small)),
    told(spreadOf(row.large)),
    told(ratioOf(row)),
    barOf(row),
    isMet(row) === undefined ? "" : isMet(row) ? "met" : "**missed**",
  ]);
  const table = tableOf(["", "small", "large", "ratio", "bar", ""], cells);
  const head =
    `Measured on ${day}, ${times} times (${loadTold(machine.loadBefore)}): the median, ` +
    "and in brackets the least and the most.";
  return `${head}\n\n${table}`;
}

function barOf({ atMost }: Compared): string {
  if (atMost === undefined) return "";
  return atMost.of === "ratio" ? `≤ ${atMost.value} ×` : `≤ ${atMost.value}`;
}
