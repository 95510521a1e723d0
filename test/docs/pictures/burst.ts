import { arrow, type Point, rect, straight, svg, words } from "./svg.ts";

const [WIDTH, HEIGHT] = [880, 336];
const LEFT = 130;
/** One second. */
const SECOND = 38;
const ROWS = { customer: 64, lull: 128, bot: 208, out: 272 } as const;

const at = (seconds: number) => LEFT + seconds * SECOND;

const MESSAGES = [
  { at: 0, says: "Hi" },
  { at: 2, says: "A table for two" },
  { at: 5, says: "tomorrow" },
  { at: 12, says: "at eight" },
] as const;

const BARS = [
  { row: "lull", from: 0, to: 10, look: "strong", says: "window: 10 s from the first message" },
  { row: "lull", from: 12, to: 18.6, look: "strong", says: "the next window" },
  { row: "bot", from: 10, to: 13.4, look: "box", says: "one turn: 3 lines" },
  { row: "out", from: 13.4, to: 15.6, look: "durable", says: "one reply" },
] as const;

/** What a customer writes, what gathers, and when the one answer comes, along the seconds. */
export function drawBurst(): string {
  const names = { customer: "customer", lull: "Lull", bot: "your bot", out: "customer" };
  const rows = Object.entries(ROWS).flatMap(([row, y]) => [
    words(names[row as keyof typeof ROWS], { x: 20, y: y + 5 }, { kind: "title", anchor: "start" }),
    straight("lane", { x: LEFT, y }, { x: WIDTH - 20, y }),
  ]);
  const spoken = MESSAGES.flatMap(({ at: seconds, says }) => {
    const x = at(seconds);
    return [
      rect("durable", { x: x - 5, y: ROWS.customer - 5, width: 10, height: 10 }, 5),
      words(`“${says}”`, { x: x - 6, y: ROWS.customer - 16 }, { anchor: "start" }),
      down({ x, y: ROWS.customer + 6 }, ROWS.lull - 15),
    ];
  });
  const bars = BARS.flatMap(({ row, from, to, look, says }) => {
    const area = { x: at(from), y: ROWS[row] - 14, width: (to - from) * SECOND, height: 28 };
    return [rect(look, area), words(says, { x: area.x + area.width / 2, y: ROWS[row] + 5 })];
  });
  const handed = [
    down({ x: at(10), y: ROWS.lull + 15 }, ROWS.bot - 15),
    down({ x: at(13.4), y: ROWS.bot + 15 }, ROWS.out - 15),
  ];
  const seconds = [0, 2, 5, 10, 12].map((each) =>
    words(`${each} s`, { x: at(each), y: HEIGHT - 22 }, { kind: "small" }),
  );
  const title = "A burst along the seconds: three lines gather, are one turn, and get one reply";
  return svg({ width: WIDTH, height: HEIGHT, title }, [...rows, ...spoken, ...bars, ...handed, ...seconds]);
}

function down({ x, y }: Point, to: number): string {
  return arrow([
    { x, y },
    { x, y: to },
  ]);
}
