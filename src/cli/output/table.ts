/**
 * Rows in aligned columns, two spaces apart. The last column is left as long as it is. What a customer chose
 * may be in any cell: it begins no line of its own.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head.map((cell) => cell.toUpperCase()), ...rows.map((row) => row.map(unbroken))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ""))));
  return all.map((row) => line(row, widths)).join("\n");
}

function line(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell + " ".repeat(Math.max(0, widths[column]! - width(cell))))
    .join("  ")
    .trimEnd();
}

function unbroken(cell: string): string {
  return cell.replace(/[\n\v\f\r\u0085\u2028\u2029]+/g, " ");
}

/** Characters as a person counts them; an emoji is one string of several code units. */
function width(cell: string): number {
  return [...cell].length;
}

/** One line of at most `max` characters: texts of customers may hold anything. */
export function oneLine(text: string, max: number): string {
  const flat = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  const characters = [...flat];
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join("")}…`;
}
