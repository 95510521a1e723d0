import type { CallLog } from "./call-log.ts";
import type { Checked } from "./check-run.ts";
import type { LoadReport } from "./load.ts";
import { quantile } from "./quantiles.ts";
import type { Samples } from "./sampler.ts";
import type { Scenario } from "./scenarios.ts";

/** What is seen of one run, before it is made into figures. */
export interface Seen {
  readonly scenario: Scenario;
  readonly load: LoadReport;
  readonly log: CallLog;
  readonly samples: Samples;
  readonly restart: { readonly killedAtMs: number; readonly readyMs: number } | undefined;
}

/** What a run came to, by name. */
export type FigureName =
  | "acksPerSecond"
  | "ackP50Ms"
  | "ackP99Ms"
  | "latenessP50Ms"
  | "latenessP99Ms"
  | "latenessMostMs"
  | "finishedPerSecond"
  | "cpuSecondsPer1000"
  | "redisCpuSecondsPer1000"
  | "memoryMb"
  | "readyMs"
  | "serverCores"
  | "generatorCores"
  | "failedTries";
export type Figures = Readonly<Record<FigureName, number>>;

export function figuresOf(seen: Seen, lateness: Checked["lateness"]): Figures {
  const { load, samples, restart } = seen;
  const fromAtMs = load.startedAtMs + seen.scenario.countedFromMs;
  // Of a server that was killed, what comes after that is the question.
  const counted = lateness.filter(({ startedAtMs }) => startedAtMs >= (restart?.killedAtMs ?? fromAtMs));
  const latenessMs = counted.map(({ byMs }) => byMs);
  const acked = load.ackedAtMs.flatMap((atMs, message) => (atMs > fromAtMs ? [message] : []));
  const tookMs = acked.map((message) => (load.ackedAtMs[message] ?? 0) - (load.handedAtMs[message] ?? 0));
  const lastAckAtMs = acked.reduce((last, message) => Math.max(last, load.ackedAtMs[message] ?? 0), fromAtMs);
  // A server that acknowledged nothing has a rate all the same: 0.
  const seconds = Math.max(1, lastAckAtMs - fromAtMs) / 1_000;
  const perCounted = (cpuMs: number) => cpuMs / Math.max(1, acked.length);
  return {
    acksPerSecond: acked.length / seconds,
    ackP50Ms: quantile(tookMs, 0.5),
    ackP99Ms: quantile(tookMs, 0.99),
    latenessP50Ms: quantile(latenessMs, 0.5),
    latenessP99Ms: quantile(latenessMs, 0.99),
    latenessMostMs: quantile(latenessMs, 1),
    finishedPerSecond: finishedIn(seen, fromAtMs, lastAckAtMs) / seconds,
    cpuSecondsPer1000: perCounted(samples.cpuMs),
    redisCpuSecondsPer1000: perCounted(samples.redisCpuMs),
    memoryMb: samples.rssBytesMax / 2 ** 20,
    readyMs: restart?.readyMs ?? 0,
    serverCores: samples.cpuMs / Math.max(1, samples.overMs),
    generatorCores: load.cpuMs / (load.endedAtMs - load.startedAtMs),
    failedTries: load.failedTries,
  };
}

/** Messages whose reply was out between the two. */
function finishedIn({ log }: Seen, fromAtMs: number, toAtMs: number): number {
  return log.sent
    .filter(({ endedAtMs }) => endedAtMs > fromAtMs && endedAtMs <= toAtMs)
    .reduce((count, { answer }) => count + (log.asked[answer]?.messages.length ?? 0), 0);
}
