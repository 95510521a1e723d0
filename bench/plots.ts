import { rect, straight, svg, words } from "../test/docs/pictures/svg.ts";
import type { FigureName } from "./figures.ts";
import type { Spread } from "./quantiles.ts";
import { type Results, spreadIn } from "./results.ts";
import type { ScenarioName } from "./scenarios.ts";
import { SERVERS, type ServerName } from "./servers.ts";
import { measuredIn } from "./tables.ts";

interface Panel {
  readonly title: string;
  readonly scenario: ScenarioName;
  readonly figure: FigureName;
}

interface Plot {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const SHORT: Readonly<Record<ServerName, string>> = {
  floor: "floor",
  memory: "in-memory",
  lull: "Lull",
  bullmq: "BullMQ",
};

export const PLOTS: Readonly<Record<string, Plot>> = {
  "docs/pictures/performance-throughput.svg": {
    title: "Messages a second: longer is better",
    panels: [
      { title: "acks/s, 64 connections", scenario: "acks", figure: "acksPerSecond" },
      { title: "acks/s while turns run", scenario: "compete", figure: "acksPerSecond" },
      { title: "messages finished/s meanwhile", scenario: "compete", figure: "finishedPerSecond" },
    ],
  },
  "docs/pictures/performance-lateness.svg": {
    title: "Milliseconds: shorter is better",
    panels: [
      { title: "lateness p99 at 500 msg/s", scenario: "steady", figure: "latenessP99Ms" },
      { title: "lateness p99, many due at 2,000/s", scenario: "due", figure: "latenessP99Ms" },
      { title: "ack p99 at half the load", scenario: "half", figure: "ackP99Ms" },
    ],
  },
  "docs/pictures/performance-cost.svg": {
    title: "What it costs: shorter is better",
    panels: [
      { title: "CPU s per 1,000 msgs", scenario: "steady", figure: "cpuSecondsPer1000" },
      { title: "MB at 500 msg/s", scenario: "steady", figure: "memoryMb" },
      { title: "MB with all messages staged", scenario: "acks", figure: "memoryMb" },
    ],
  },
};

const PANEL_WIDTH = 330;
const BAR_LEFT = 94;
const BAR_WIDTH = 160;
const ROW = 28;
const TOP = 66;
const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** A panel for each figure, a bar for each server, and a line from the least to the most. */
export function drawPlot(results: Results, { title, panels }: Plot): string {
  const servers = SERVERS.filter((server) => measuredIn(results).includes(server));
  const height = TOP + servers.length * ROW + 16;
  return svg({ width: panels.length * PANEL_WIDTH, height, title }, [
    words(title, { x: 16, y: 26 }, { kind: "title", anchor: "start" }),
    ...panels.flatMap((panel, at) => drawPanel(results, panel, servers, at * PANEL_WIDTH)),
  ]);
}

function drawPanel(
  results: Results,
  { title, scenario, figure }: Panel,
  servers: readonly ServerName[],
  left: number,
): string[] {
  const bars = servers.flatMap((server) => {
    const spread = spreadIn(results, server, scenario, figure);
    return spread === undefined ? [] : [{ server, spread }];
  });
  const most = Math.max(...bars.map(({ spread }) => spread.most), Number.MIN_VALUE);
  return [
    words(title, { x: left + 16, y: 52 }, { kind: "small", anchor: "start" }),
    ...bars.flatMap(({ server, spread }, row) =>
      drawBar({ x: left + BAR_LEFT, y: TOP + row * ROW }, server, spread, most),
    ),
  ];
}

function drawBar(at: { x: number; y: number }, server: ServerName, spread: Spread, most: number): string[] {
  const lengthOf = (value: number) => Math.max(1, Math.round((value / most) * BAR_WIDTH));
  const middle = at.y + 10;
  const look = server === "lull" ? "strong" : "box";
  const whisker = [spread.least, spread.most].map((value) => ({ x: at.x + lengthOf(value), y: middle }));
  const [from, to] = whisker as [{ x: number; y: number }, { x: number; y: number }];
  return [
    words(SHORT[server], { x: at.x - 8, y: at.y + 14 }, { kind: "text", anchor: "end" }),
    rect(look, { ...at, width: lengthOf(spread.median), height: 20 }, 3),
    straight("line", from, to),
    words(
      number.format(spread.median),
      { x: Math.max(to.x, at.x + lengthOf(spread.median)) + 6, y: at.y + 14 },
      { kind: "small", anchor: "start" },
    ),
  ];
}
