/** Narrower than that, an indent only makes it worse. */
const ROOM_MIN = 20;

/** A line in as many as fit a terminal, broken between words; as it is where no terminal shows it. */
export function wrapped(line: string, indent: number, columns: number | undefined): string {
  if (columns === undefined || columns - indent < ROOM_MIN) return line;
  const lines: string[] = [];
  // What stands before the first word is the line's own layout.
  const [start = ""] = /^\S*\s*/.exec(line)!;
  let current = start;
  for (const word of line.slice(start.length).split(/(?<= )/)) {
    const isFirst = current.trim() === "" || current === start;
    if (!isFirst && lengthOf(`${current}${word}`.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = " ".repeat(indent);
    }
    current += word;
  }
  return [...lines, current].join("\n");
}

function lengthOf(text: string): number {
  return [...text].length;
}
