import type { FigureName } from "./figures.ts";
import { type Results, ratioIn, spreadIn } from "./results.ts";
import type { ScenarioName } from "./scenarios.ts";
import type { ServerName } from "./servers.ts";

/** What Lull is held to. */
export interface Bar {
  readonly about: string;
  readonly scenario: ScenarioName;
  readonly figure: FigureName;
  /** A ratio to this server's median; the figure itself where left out. */
  readonly against?: ServerName;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Judged {
  readonly bar: Bar;
  readonly measured: number | undefined;
  readonly isMet: boolean | undefined;
}

const LATENESS = { figure: "latenessP99Ms", against: "memory", atMost: 2 } as const;

export const BARS: readonly Bar[] = [
  {
    ...{ about: "acks/s, against the floor", scenario: "acks", figure: "acksPerSecond" },
    ...{ against: "floor", atLeast: 0.5 },
  },
  {
    ...{ about: "acks/s, against BullMQ", scenario: "acks", figure: "acksPerSecond" },
    ...{ against: "bullmq", atLeast: 2 },
  },
  {
    ...{ about: "ack p99 at half that load, against the floor", scenario: "half", figure: "ackP99Ms" },
    ...{ against: "floor", atMost: 3 },
  },
  { about: "lateness p99 at 500 msg/s, against in-memory", scenario: "steady", ...LATENESS },
  { about: "lateness p99, many due at 2,000/s, against in-memory", scenario: "due", ...LATENESS },
  {
    ...{ about: "CPU per message at 500 msg/s, against BullMQ", scenario: "steady" },
    ...{ figure: "cpuSecondsPer1000", against: "bullmq", atMost: 0.7 },
  },
  {
    ...{ about: "acks/s when both compete, against BullMQ", scenario: "compete", figure: "acksPerSecond" },
    ...{ against: "bullmq", atLeast: 2 },
  },
  {
    ...{ about: "messages finished/s when both compete, against BullMQ", scenario: "compete" },
    ...{ figure: "finishedPerSecond", against: "bullmq", atLeast: 2 },
  },
  { about: "MB of memory at 500 msg/s", scenario: "steady", figure: "memoryMb", atMost: 150 },
  { about: "MB of memory with all of them staged", scenario: "acks", figure: "memoryMb", atMost: 200 },
];

export function judge(results: Results, bar: Bar): Judged {
  const { against, scenario, figure, atLeast = 0, atMost = Number.POSITIVE_INFINITY } = bar;
  const measured =
    against === undefined
      ? spreadIn(results, "lull", scenario, figure)?.median
      : ratioIn(results, against, scenario, figure);
  const isMet = measured === undefined ? undefined : measured >= atLeast && measured <= atMost;
  return { bar, measured, isMet };
}
