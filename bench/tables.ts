import { BARS, type Bar, type Judged, judge } from "./bars.ts";
import { faultsIn } from "./check-run.ts";
import type { FigureName } from "./figures.ts";
import type { Spread } from "./quantiles.ts";
import { type Results, runsOf, spreadIn } from "./results.ts";
import type { ScenarioName } from "./scenarios.ts";
import { LABELS, SERVERS, type ServerName } from "./servers.ts";

type Column = readonly [title: string, scenario: ScenarioName, ...figures: FigureName[]];

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

function columnsOf({ size }: Results): readonly Column[] {
  return [
    ["acks/s, 64 connections", "acks", "acksPerSecond"],
    ["ack p99, ms", "acks", "ackP99Ms"],
    ["ack p99 at half that load, ms", "half", "ackP99Ms"],
    ["lateness at 500 msg/s, p50 / p99, ms", "steady", "latenessP50Ms", "latenessP99Ms"],
    [`lateness p99, ${number.format(size.due)} due at 2,000/s, ms`, "due", "latenessP99Ms"],
    ["CPU s per 1,000 msgs at 500 msg/s", "steady", "cpuSecondsPer1000"],
    ["acks/s and messages finished/s when both compete", "compete", "acksPerSecond", "finishedPerSecond"],
    ["memory at 500 msg/s, MB", "steady", "memoryMb"],
    [`memory, ${number.format(size.staged)} staged, MB`, "acks", "memoryMb"],
  ];
}

/** Every server in a row: median, and least to most of all repetitions. */
export function figuresTable(results: Results): string {
  const columns = columnsOf(results);
  const rows = measuredIn(results).map((server) => [
    server === "lull" ? `**${LABELS.lull}**` : LABELS[server],
    ...columns.map(([, scenario, ...figures]) => cellOf(results, server, scenario, figures)),
  ]);
  return tableOf(["", ...columns.map(([title]) => title)], rows);
}

/** Killed with SIGKILL under load, and started again at once. */
export function restartTable(results: Results): string {
  const rows = measuredIn(results)
    .filter((server) => runsOf(results, server, "restart").length > 0)
    .map((server) => [
      LABELS[server],
      cellOf(results, server, "restart", ["readyMs"]),
      cellOf(results, server, "restart", ["latenessP99Ms"]),
      cellOf(results, server, "restart", ["latenessMostMs"]),
      faultsOf(results, server, (scenario) => scenario === "restart"),
    ]);
  return tableOf(["", "ready again, ms", "lateness p99, ms", "latest, ms", "faults"], rows);
}

export function barsTable(results: Results): string {
  const rows = BARS.map((bar) => judge(results, bar)).map((judged) => [
    judged.bar.about,
    boundOf(judged.bar),
    judged.measured === undefined ? "not measured" : number.format(judged.measured),
    judged.unfit === undefined ? verdict(judged.isMet) : unfitTold(judged.unfit),
  ]);
  return tableOf(["Lull", "bar", "measured", ""], rows);
}

function unfitTold({ less, more }: NonNullable<Judged["unfit"]>): string {
  const [at, above] = [number.format(less), number.format(more)];
  return `**not measurable** here: it takes ${at} itself, and ${above} under twice the load`;
}

export function verdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return "";
  return isMet ? "met" : "**missed**";
}

/** What the checker found in all runs but the kills, which have a table of their own. */
export function faultsTable(results: Results): string {
  const rows = measuredIn(results)
    .filter((server) => server !== "floor")
    .map((server) => [
      LABELS[server],
      String(runsOf(results, server).filter(({ scenario }) => scenario !== "restart").length),
      faultsOf(results, server, (scenario) => scenario !== "restart"),
      number.format(runsOf(results, server, "steady").reduce((sum, { late }) => sum + late, 0)),
    ]);
  return tableOf(["", "runs checked", "faults", "turns over a second late at 500 msg/s"], rows);
}

/** Both processes share the machine: the one that is not at its limit is not the cap. */
export function generatorLine(results: Results): string {
  if (runsOf(results, "floor", "acks").length === 0)
    return "Whether the load generator is the cap is not known: the floor was not measured.";
  const of = (figure: FigureName) => spreadIn(results, "floor", "acks", figure)?.median ?? 0;
  const [server, generator] = [of("serverCores"), of("generatorCores")];
  return (
    `The load generator is not the cap: while the floor acknowledged ${number.format(of("acksPerSecond"))} ` +
    `webhooks a second, it used ${number.format(server)} of a core and the generator ` +
    `${number.format(generator)}, ${number.format((100 * generator) / Math.max(server, 0.001))} % of that.`
  );
}

export function measuredIn({ runs }: Results): readonly ServerName[] {
  return SERVERS.filter((server) => runs.some((run) => run.server === server));
}

function faultsOf(results: Results, server: ServerName, counts: (scenario: ScenarioName) => boolean): string {
  const runs = runsOf(results, server).filter(({ scenario }) => counts(scenario));
  const total = runs.reduce<Record<string, number>>((sum, { faults }) => {
    for (const [name, count] of Object.entries(faults)) sum[name] = (sum[name] ?? 0) + count;
    return sum;
  }, {});
  return faultsIn(total).join(", ") || "none";
}

function cellOf(
  results: Results,
  server: ServerName,
  scenario: ScenarioName,
  figures: readonly FigureName[],
): string {
  const spreads = figures.map((figure) => spreadIn(results, server, scenario, figure));
  if (spreads.every((spread) => spread === undefined)) return "";
  return spreads.map(told).join(" / ") + redisShare(results, server, figures);
}

/** A second program's time is a part of what its user pays, and is told apart. */
function redisShare(results: Results, server: ServerName, figures: readonly FigureName[]): string {
  if (server !== "bullmq" || !figures.includes("cpuSecondsPer1000")) return "";
  const { median = 0 } = spreadIn(results, server, "steady", "redisCpuSecondsPer1000") ?? {};
  return `, of it Redis ${number.format(median)}`;
}

/** Above this load, what else runs takes a part of the machine that shows. */
const BUSY = 0.5;

export function isBusy(loadBefore: number): boolean {
  return loadBefore > BUSY;
}

/** The same words above every table. */
export function loadTold(loadBefore: number): string {
  const told = `load of others before: ${loadBefore}`;
  return isBusy(loadBefore) ? `${told}, a busy machine` : told;
}

export function told(spread: Spread | undefined): string {
  if (spread === undefined) return "";
  const [median, least, most] = [spread.median, spread.least, spread.most].map((each) => number.format(each));
  return least === most ? `${median}` : `${median} (${least}–${most})`;
}

function boundOf({ atLeast, atMost, against }: Bar): string {
  return `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}${against === undefined ? "" : " ×"}`;
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lineOf = (cells: readonly string[]) =>
    `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
  return [lineOf(head), `|${"---|".repeat(head.length)}`, ...rows.map(lineOf)].join("\n");
}
