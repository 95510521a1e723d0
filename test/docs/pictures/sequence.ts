import { arrow, rect, straight, svg, words, wrapped } from "./svg.ts";

export interface Lane {
  readonly name: string;
  readonly about: string;
  readonly look?: "box" | "strong" | "durable";
}

export type Step =
  /** `from -> to: words`; with `<-` it is the answer. */
  | string
  /** Time passes, or another part of the story begins. */
  | { readonly band: string };

export interface Sequence {
  readonly title: string;
  readonly lanes: Readonly<Record<string, Lane>>;
  readonly steps: readonly Step[];
}

const MARGIN = 20;
const LANE_WIDTH = 178;
const HEAD_HEIGHT = 52;
const LINE_HEIGHT = 15;
const GAP = 16;

/** Who says what to whom, from the top down. */
export function drawSequence({ title, lanes, steps }: Sequence): string {
  const names = Object.keys(lanes);
  const width = 2 * MARGIN + names.length * LANE_WIDTH;
  const centre = (name: string) => {
    const index = names.indexOf(name);
    if (index === -1) throw new Error(`${title}: there is no lane ${name}`);
    return MARGIN + (index + 0.5) * LANE_WIDTH;
  };
  const drawn: string[] = [];
  let y = MARGIN + HEAD_HEIGHT + GAP;
  for (const step of steps) {
    const { parts, height } =
      typeof step === "string" ? drawCall(step, centre, y) : drawBand(step.band, width, y);
    drawn.push(...parts);
    y += height;
  }
  const bottom = y + GAP;
  const heads = names.map((name) => drawLane(lanes[name]!, centre(name), bottom));
  return svg({ width, height: bottom + MARGIN, title }, [...heads.flat(), ...drawn]);
}

function drawLane({ name, about, look = "box" }: Lane, x: number, bottom: number): string[] {
  const area = { x: x - LANE_WIDTH / 2 + 6, y: MARGIN, width: LANE_WIDTH - 12, height: HEAD_HEIGHT };
  return [
    straight("lane", { x, y: MARGIN + HEAD_HEIGHT }, { x, y: bottom }),
    rect(look, area),
    words(name, { x, y: MARGIN + 22 }, { kind: "title" }),
    words(about, { x, y: MARGIN + 40 }, { kind: "small" }),
  ];
}

interface Drawn {
  readonly parts: string[];
  readonly height: number;
}

function drawCall(step: string, centre: (name: string) => number, y: number): Drawn {
  const [, a = "", sign, b = "", text = ""] = /^(\w+) (->|<-) (\w+): (.+)$/.exec(step) ?? [];
  if (sign === undefined) throw new Error(`not a step: ${step}`);
  const [from, to] = sign === "->" ? [centre(a), centre(b)] : [centre(b), centre(a)];
  if (a === b) return drawNote(text, from, y);
  const between = Math.abs(to - from);
  const lines = wrapped(text, Math.max(between - 24, LANE_WIDTH - 24), "small");
  const arrowY = y + lines.length * LINE_HEIGHT + 2;
  // Beside its first lane's line: over several lanes the words would stand on lines.
  const x = (from + to) / 2;
  const shown = lines.flatMap((line, at) => {
    const lineY = y + (at + 1) * LINE_HEIGHT - 4;
    const wide = line.length * 6.2 + 8;
    return [
      rect("under", { x: x - wide / 2, y: lineY - 11, width: wide, height: 14 }, 0),
      words(line, { x, y: lineY }, { kind: "small" }),
    ];
  });
  const ends = [
    { x: from, y: arrowY },
    { x: to, y: arrowY },
  ];
  return { parts: [...shown, arrow(ends, sign === "<-")], height: lines.length * LINE_HEIGHT + GAP };
}

/** What one of them does by itself. */
function drawNote(text: string, x: number, y: number): Drawn {
  const lines = wrapped(text, LANE_WIDTH - 36, "small");
  const height = lines.length * LINE_HEIGHT + 8;
  const area = { x: x - LANE_WIDTH / 2 + 12, y, width: LANE_WIDTH - 24, height };
  const shown = lines.map((line, at) => words(line, { x, y: y + (at + 1) * LINE_HEIGHT }, { kind: "small" }));
  return { parts: [rect("box", area, 4), ...shown], height: height + GAP - 4 };
}

function drawBand(text: string, width: number, y: number): Drawn {
  const area = { x: 8, y, width: width - 16, height: 24 };
  return {
    parts: [rect("band", area, 4), words(text, { x: width / 2, y: y + 16 }, { kind: "title" })],
    height: 24 + GAP - 4,
  };
}
