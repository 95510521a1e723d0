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
  /**
   * Where the other server does the same job under more load. If it is worse under less, the machine was
   * measured and not the server: then nothing is shown.
   */
  readonly loadedMore?: ScenarioName;
}

export interface Judged {
  readonly bar: Bar;
  readonly measured: number | undefined;
  readonly isMet: boolean | undefined;
  /** Why the bar cannot be judged: what the other server itself took under less load, and under more. */
  readonly unfit?: { readonly less: number; readonly more: number } | undefined;
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
    ...{ against: "floor", atMost: 3, loadedMore: "acks" },
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
  if (measured === undefined) return { bar, measured, isMet: undefined };
  const unfit = unfitness(results, bar);
  if (unfit !== undefined) return { bar, measured, isMet: undefined, unfit };
  return { bar, measured, isMet: measured >= atLeast && measured <= atMost };
}

function unfitness(results: Results, { against, scenario, figure, loadedMore }: Bar): Judged["unfit"] {
  if (against === undefined || loadedMore === undefined) return undefined;
  const medianIn = (each: ScenarioName) => spreadIn(results, against, each, figure)?.median ?? 0;
  const [less, more] = [medianIn(scenario), medianIn(loadedMore)];
  return more > 0 && less > more ? { less, more } : undefined;
}
