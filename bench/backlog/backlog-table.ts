import type { Spread } from "../quantiles.ts";
import { loadTold, tableOf, told, verdict } from "../tables.ts";
import { type BacklogResults, type BacklogRun, shareOfCalls, spreadOfBacklog } from "./backlog-results.ts";

const ROWS: readonly (readonly [title: string, figure: keyof BacklogRun])[] = [
  ["turns a second", "turnsPerSecond"],
  ["turns a second, their two HTTP calls alone", "callsAlonePerSecond"],
  ["ack p50 meanwhile, ms", "ackP50Ms"],
  ["the slowest ack, ms", "ackMostMs"],
];

interface BacklogBar {
  readonly about: string;
  readonly of: (runs: readonly BacklogRun[]) => Spread;
  readonly bound: string;
  readonly holds: (median: number) => boolean;
}

const of = (figure: keyof BacklogRun) => (runs: readonly BacklogRun[]) => spreadOfBacklog(runs, figure);

/** Drained at the rate of the HTTP calls, acks in milliseconds meanwhile, oldest first, memory bounded. */
const BARS: readonly BacklogBar[] = [
  {
    ...{ about: "turns, against their HTTP calls alone", of: shareOfCalls },
    ...{ bound: "≥ 1 ×", holds: (ratio) => ratio >= 1 },
  },
  {
    ...{ about: "ack p99 meanwhile, ms", of: of("ackP99Ms") },
    ...{ bound: "≤ 10", holds: (ms) => ms <= 10 },
  },
  {
    // As many turns as run at once may begin in any order.
    ...{ about: "places that a turn was away from the order of arrival, at most", of: of("placesOff") },
    ...{ bound: "≤ 50", holds: (places) => places <= 50 },
  },
  {
    ...{ about: "memory of all processes, MB", of: of("memoryMb") },
    ...{ bound: "≤ 200", holds: (mb) => mb <= 200 },
  },
];

export function backlogTable({ day, machine, conversations, runs }: BacklogResults): string {
  const number = new Intl.NumberFormat("en").format(conversations);
  return [
    `Measured on ${day}, ${runs.length} times (${loadTold(machine.loadBefore)}): ${number} conversations.`,
    tableOf(
      ["", "median (least–most)", "bar", ""],
      [
        ...ROWS.map(([title, figure]) => [title, told(spreadOfBacklog(runs, figure)), "", ""]),
        ...BARS.map(({ about, of: spreadIn, bound, holds }) => {
          const spread = spreadIn(runs);
          return [about, told(spread), bound, verdict(holds(spread.median))];
        }),
      ],
    ),
  ].join("\n\n");
}
