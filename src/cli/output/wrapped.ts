/** Narrower than that, an indent only makes it worse. */
const ROOM_MIN = 20;

/** A line in as many as fit a terminal, broken between words; as it is where no terminal shows it. */
export function wrapped(line: string, indent: number, columns: number | undefined): string {
  if (columns === undefined || columns - indent < ROOM_MIN) return line;
  const lines: string[] = [];
  // What stands before the first word is the line's own layout.
  const [start = ""] = /^\S*\s*/.exec(line)!;
  let current = start;
  for (const word of wordsIn(line.slice(start.length))) {
    const isFirst = current.trim() === "" || current === start;
    if (!isFirst && lengthOf(`${current}${word}`.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = " ".repeat(indent);
    }
    current += word;
  }
  return [...lines, current].join("\n");
}

/** A command up to the end of its line is one word: broken, its first half would run as it is pasted. */
function wordsIn(text: string): string[] {
  const command = /(?<=: )lull .*$/.exec(text)?.[0] ?? "";
  const words = text.slice(0, text.length - command.length).split(/(?<= )/);
  return command === "" ? words : [...words.filter((word) => word !== ""), command];
}

/**
 * Sentences, each a line, and rows of tables among them, which stay as they are. What was indented goes on
 * below its first word.
 */
export function textWithin(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  const within = (line: string) => {
    const indent = line.length - line.trimStart().length;
    return isRow(line) ? line : wrapped(line, indent === 0 ? 0 : indent + 2, columns);
  };
  return text.split("\n").map(within).join("\n");
}

function isRow(line: string): boolean {
  return /\S {2,}\S/.test(line);
}

function lengthOf(text: string): number {
  return [...text].length;
}
