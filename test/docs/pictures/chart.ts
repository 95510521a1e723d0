import { type Area, arrow, type Point, rect, svg, type TextKind, widthOf, words } from "./svg.ts";

type Look = "box" | "strong" | "durable" | "bad" | "room";

export interface Box {
  /** Left, top, width, height. */
  readonly at: readonly [number, number, number, number];
  /** The first line is its name. */
  readonly says: readonly string[];
  readonly look?: Look;
}

export interface Edge {
  /** `box.side`, or `box.side 0.3` for a place along that side, from its left or its top. */
  readonly from: string;
  readonly to: string;
  readonly says?: string | readonly string[];
  /** Where the words stand along the line, from 0 to 1. */
  readonly along?: number;
  /** Where a line between two sides of one kind turns: a place across, in the picture's own measure. */
  readonly turn?: number;
  readonly isAnswer?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly size: readonly [number, number];
  readonly boxes: Readonly<Record<string, Box>>;
  readonly edges: readonly Edge[];
}

const LINE_HEIGHT = 16;

/** Boxes where they are told to stand, and lines between them that turn at right angles. */
export function drawChart({ title, size: [width, height], boxes, edges }: Chart): string {
  const rooms = Object.values(boxes).filter(({ look }) => look === "room");
  const others = Object.values(boxes).filter(({ look }) => look !== "room");
  const lines = edges.map((edge) => ({ edge, points: wayOf(edge, boxes) }));
  return svg({ width, height, title }, [
    ...rooms.flatMap(drawRoom),
    ...lines.map(({ edge, points }) => arrow(points, edge.isAnswer)),
    ...others.flatMap(drawBox),
    ...lines.flatMap(({ edge, points }) => drawWords(edge, points)),
  ]);
}

function areaOf({ at: [x, y, width, height] }: Box): Area {
  return { x, y, width, height };
}

function drawRoom(box: Box): string[] {
  const area = areaOf(box);
  const place = { x: area.x + 10, y: area.y + 18 };
  return [rect("room", area, 10), words(box.says[0] ?? "", place, { kind: "small", anchor: "start" })];
}

function drawBox(box: Box): string[] {
  const area = areaOf(box);
  const x = area.x + area.width / 2;
  const top = area.y + area.height / 2 - (box.says.length * LINE_HEIGHT) / 2 + 12;
  const lines = box.says.map((line, n) => {
    const kind: TextKind = n === 0 ? "title" : "small";
    if (widthOf(line, kind) > area.width) throw new Error(`too long for its box: ${line}`);
    return words(line, { x, y: top + n * LINE_HEIGHT }, { kind });
  });
  return [rect(box.look ?? "box", area), ...lines];
}

type Side = "left" | "right" | "top" | "bottom";

function endOf(end: string, boxes: Chart["boxes"]): Point & { readonly isAcross: boolean } {
  const [, name = "", side, place = "0.5"] = /^(\w+)\.(left|right|top|bottom)(?: ([\d.]+))?$/.exec(end) ?? [];
  const box = boxes[name];
  if (box === undefined) throw new Error(`no end of a line: ${end}`);
  const { x, y, width, height } = areaOf(box);
  const share = Number(place);
  const ends: Record<Side, Point> = {
    left: { x, y: y + height * share },
    right: { x: x + width, y: y + height * share },
    top: { x: x + width * share, y },
    bottom: { x: x + width * share, y: y + height },
  };
  return { ...ends[side as Side], isAcross: side === "left" || side === "right" };
}

function wayOf({ from, to, turn }: Edge, boxes: Chart["boxes"]): Point[] {
  const [start, end] = [endOf(from, boxes), endOf(to, boxes)];
  if (start.isAcross && end.isAcross) {
    const x = turn ?? (start.x + end.x) / 2;
    return straightened([start, { x, y: start.y }, { x, y: end.y }, end]);
  }
  if (!start.isAcross && !end.isAcross) {
    const y = turn ?? (start.y + end.y) / 2;
    return straightened([start, { x: start.x, y }, { x: end.x, y }, end]);
  }
  const corner = start.isAcross ? { x: end.x, y: start.y } : { x: start.x, y: end.y };
  return [start, corner, end];
}

function straightened(points: readonly Point[]): Point[] {
  return points.filter((point, n) => {
    const before = points[n - 1];
    return before === undefined || point.x !== before.x || point.y !== before.y;
  });
}

function drawWords({ says = [], along = 0.5 }: Edge, points: readonly Point[]): string[] {
  const lines = typeof says === "string" ? [says] : says;
  const place = pointAlong(points, along);
  return lines.flatMap((line, n) => {
    const y = place.y + 4 + (n - (lines.length - 1) / 2) * 14;
    const width = line.length * 6.2 + 10;
    const under = rect("under", { x: place.x - width / 2, y: y - 11, width, height: 14 }, 0);
    return [under, words(line, { x: place.x, y }, { kind: "small" })];
  });
}

function pointAlong(points: readonly Point[], share: number): Point {
  const lengths = points
    .slice(1)
    .map((point, n) => Math.hypot(point.x - points[n]!.x, point.y - points[n]!.y));
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  for (const [n, length] of lengths.entries()) {
    const [a, b] = [points[n]!, points[n + 1]!];
    if (left <= length)
      return { x: a.x + ((b.x - a.x) * left) / length, y: a.y + ((b.y - a.y) * left) / length };
    left -= length;
  }
  return points.at(-1)!;
}
