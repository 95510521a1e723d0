import { tableOf, told } from "../tables.ts";
import { type BacklogResults, type BacklogRun, shareOfCalls, spreadOfBacklog } from "./backlog-results.ts";

const ROWS: readonly (readonly [title: string, figure: keyof BacklogRun])[] = [
  ["turns a second", "turnsPerSecond"],
  ["turns a second, their two HTTP calls alone", "callsAlonePerSecond"],
  ["ack p50 meanwhile, ms", "ackP50Ms"],
  ["ack p99 meanwhile, ms", "ackP99Ms"],
  ["the slowest ack, ms", "ackMostMs"],
  ["places that a turn was away from the order of arrival, at most", "placesOff"],
  ["memory of all processes, MB", "memoryMb"],
];

export function backlogTable({ day, machine, conversations, runs }: BacklogResults): string {
  const number = new Intl.NumberFormat("en").format(conversations);
  return [
    `Measured on ${day}, ${runs.length} times (load of others before: ${machine.loadBefore}): ` +
      `${number} conversations.`,
    tableOf(
      ["", "median (least–most)"],
      [
        ...ROWS.map(([title, figure]) => [title, told(spreadOfBacklog(runs, figure))]),
        ["turns, against their HTTP calls alone", `${told(shareOfCalls(runs))} ×`],
      ],
    ),
  ].join("\n\n");
}
