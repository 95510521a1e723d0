/** Both schemes have a ground of their own: a picture on a page of the other scheme can still be read. */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de }
    .box { fill: #f6f8fa; stroke: #8c959f }
    .strong { fill: #ddf4ff; stroke: #0969da }
    .durable { fill: #dafbe1; stroke: #1a7f37 }
    .bad { fill: #ffebe9; stroke: #cf222e }
    .room { fill: none; stroke: #8c959f; stroke-dasharray: 4 4 }
    .band { fill: #f6f8fa }
    .lane { stroke: #d0d7de }
    .line { fill: none; stroke: #57606a }
    .head { fill: #57606a }
    .under { fill: #ffffff }
    text { fill: #1f2328; font: 13px ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif }
    .title { font-weight: 600 }
    .small { font-size: 12px; fill: #57606a }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d }
      .box { fill: #161b22; stroke: #6e7681 }
      .strong { fill: #0c2d6b; stroke: #58a6ff }
      .durable { fill: #0f3d1e; stroke: #3fb950 }
      .bad { fill: #4a1115; stroke: #f85149 }
      .room { stroke: #6e7681 }
      .band { fill: #161b22 }
      .lane { stroke: #30363d }
      .line { stroke: #8b949e }
      .head { fill: #8b949e }
      .under { fill: #0d1117 }
      text { fill: #e6edf3 }
      .small { fill: #8b949e }
    }`;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

/** Wide enough for the fonts that readers have: a letter of theirs may be wider than one of ours. */
const LETTER = { title: 7.6, text: 6.9, small: 6.4 } as const;
export type TextKind = keyof typeof LETTER;

export function widthOf(text: string, kind: TextKind = "text"): number {
  return text.length * LETTER[kind];
}

/** Words to lines that are no wider than that; a word that is, has a line of its own. */
export function wrapped(text: string, width: number, kind: TextKind): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer, kind) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

export function svg(
  { width, height, title }: { width: number; height: number; title: string },
  parts: string[],
): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(title)}">`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...parts.map((part) => `  ${part}`),
    "</svg>",
    "",
  ].join("\n");
}

export function rect(look: string, { x, y, width, height }: Area, radius = 6): string {
  return `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
}

export function words(
  text: string,
  { x, y }: Point,
  { kind = "text", anchor = "middle" }: { kind?: TextKind; anchor?: string } = {},
): string {
  const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`;
  return `<text class="${kind}" ${place}>${escaped(text)}</text>`;
}

export function straight(look: string, from: Point, to: Point): string {
  return `<path class="${look}" d="M${at(from)} L${at(to)}"/>`;
}

/** A line through these points, with a head at its end. */
export function arrow(points: readonly Point[], isAnswer = false): string {
  const [last, before] = [points.at(-1)!, points.at(-2)!];
  const dash = isAnswer ? ' stroke-dasharray="5 3"' : "";
  const path = `M${points.map(at).join(" L")}`;
  return `<path class="line"${dash} d="${path}"/><path class="head" d="${headAt(before, last)}"/>`;
}

function headAt(from: Point, to: Point): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const side = (by: number) => at({ x: to.x - 8 * dx - by * dy, y: to.y - 8 * dy + by * dx });
  return `M${at(to)} L${side(4)} L${side(-4)} Z`;
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
