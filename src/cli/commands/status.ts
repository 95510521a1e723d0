import { type Standing, standingOf } from "../../core/standing.ts";
import type { DeadLetter } from "../../model/dead-letter.ts";
import type { Settings } from "../../model/settings.ts";
import type { Counts, Inspector, LockRecord } from "../../ports/inspector.ts";
import { version } from "../../process/version.ts";
import type { Project } from "../../runtime/projects.ts";
import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { pausesNow, stoodNow } from "../kept-back.ts";
import { type Mute, mutesOf } from "../muted-projects.ts";
import { inkedStarts } from "../output/colour.ts";
import { counted } from "../output/counted.ts";
import { printJson } from "../output/print.ts";
import { refusedWebhooksShown } from "../output/refused-webhooks.ts";
import { pauseLines, troubleLines, waitingShown } from "../output/standing.ts";
import { oneLine } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { wrapped } from "../output/wrapped.ts";
import { askService, type RunningService } from "../running-service.ts";

/** Conversations that are looked at. */
const LOOKS_MAX = 5_000;
const PAGE = 500;
/** A service on this machine answers at once, or it has other problems. */
const SERVICE_MS = 3_000;
const REASON_MAX = 100;
const LABEL_WIDTH = 10;
const REFUSALS_MAX = 100;
const HOUR_MS = 3_600_000;

interface Status {
  readonly version: string;
  readonly service: RunningService;
  /** Where it is asked. */
  readonly port: number;
  readonly counts: Counts;
  readonly standing: Standing;
  /** Whose messages are refused. What is paused is in `standing`. */
  readonly refusing: readonly (Mute & { readonly project: string })[];
  /** The latest message that got no turn. */
  readonly lastError?: Pick<DeadLetter, "id" | "reason" | "atMs">;
  /** What was refused in the last hour, as far as was looked. */
  readonly refused: { readonly count: number; readonly lastCode?: string };
  /** More waits than was looked at. */
  readonly isCut: boolean;
}

export const status: Command = {
  settings: "all",
  about: "How it stands: does it run, what waits and since when, what fails and why, what needs a person.",
  run: (call) =>
    withData(call, async ({ lull, engine, loaded }) => {
      const nowMs = call.io.nowMs();
      const { inspector } = engine;
      const [service, counts, { locks, isCut }, dead, refused, pauses, projects] = await Promise.all([
        askService(loaded.server, lull, AbortSignal.timeout(SERVICE_MS)),
        inspector.counts(),
        locksOf(inspector),
        inspector.dead({ limit: 1 }),
        refusedSince(inspector, nowMs - HOUR_MS),
        pausesNow({ lull, engine }),
        lull.projects(),
      ]);
      const standing = standingOf(await stoodNow({ lull, engine }, locks, pauses), pauses, nowMs);
      const [last] = dead.items;
      const lastError = last && { lastError: { id: last.id, reason: last.reason, atMs: last.atMs } };
      const refusing = refusingAmong(projects, lull.settings);
      const { port } = loaded.server;
      const found = {
        version: version(),
        service,
        port,
        counts,
        standing,
        refusing,
        ...lastError,
        refused,
        isCut,
      };
      if (call.json) printJson(call, found);
      else call.io.out(linesWithin(call.io.columns, linesOf(found, nowMs)), PAINT);
      return 0;
    }),
};

function refusingAmong(projects: readonly Project[], settings: Settings): Status["refusing"] {
  return projects.flatMap((each) =>
    mutesOf(each, settings)
      .filter(({ by }) => by !== "pause")
      .map((mute) => ({ project: each.name, ...mute })),
  );
}

async function refusedSince(inspector: Inspector, sinceAtMs: number): Promise<Status["refused"]> {
  const { items } = await inspector.refusals({ limit: REFUSALS_MAX });
  const lately = items.filter(({ atMs }) => atMs >= sinceAtMs);
  return { count: lately.length, ...(lately[0] && { lastCode: lately[0].code }) };
}

async function locksOf(inspector: Inspector): Promise<{ locks: LockRecord[]; isCut: boolean }> {
  const locks: LockRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await inspector.locks({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    locks.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && locks.length < LOOKS_MAX);
  return { locks, isCut: cursor !== undefined };
}

function linesOf(found: Status, nowMs: number): string[] {
  const { counts, standing, lastError } = found;
  return [
    line("lull", found.version),
    line("service", serviceSaid(found.service, found.port)),
    ...webhookLines(found.service),
    ...(counts.paused ? [line("paused", "nobody is answered: lull resume")] : []),
    ...found.refusing.map(({ by, project, words }) => line(LABELS[by], `project ${project} ${words}`)),
    ...pauseLines(standing).map(([label, text]) => line(label, text)),
    line("waiting", waitingShown(counts.staged, standing, found.isCut, nowMs)),
    ...(standing.answering === 0 ? [] : [line("answering", counted(standing.answering, "conversation"))]),
    ...troubleLines(standing, nowMs).map(([label, text]) => line(label, text)),
    ...(counts.dead === 0 ? [] : [line("dead", `${counted(counts.dead, "letter")}: lull dead`)]),
    ...(lastError
      ? [line("", `last ${relativeTime(lastError.atMs, nowMs)}: ${oneLine(lastError.reason, REASON_MAX)}`)]
      : []),
    ...(counts.unknown === 0 ? [] : [line("unknown", `${counted(counts.unknown, "send")}: lull unknown`)]),
    ...(counts.quarantined === 0
      ? []
      : [line("set aside", `${counted(counts.quarantined, "row")}: lull quarantine`)]),
    ...refusedLine(found.refused),
    line("in all", `${counted(counts.conversations, "conversation")}, ${counted(counts.turns, "turn")}`),
  ];
}

const LABELS: Readonly<Record<Mute["by"], string>> = {
  status: "stopped",
  pause: "paused",
  channels: "barred",
};

const PAINT = inkedStarts({
  ...{
    stopped: "warning",
    paused: "warning",
    barred: "warning",
    webhooks: "warning",
    "set aside": "warning",
  },
  ...{ failing: "bad", dead: "bad", unknown: "bad" },
});

function webhookLines(service: RunningService): string[] {
  if (service.kind !== "ready") return [];
  const { refusedWebhooks } = service;
  if (refusedWebhooks === undefined) return [line("", UNTOLD)];
  return refusedWebhooks.map((each) => line("webhooks", refusedWebhooksShown(each)));
}

/** Else no line about webhooks would look as if none was refused. */
const UNTOLD = "which webhooks it refused it tells only with its API token: LULL_API_TOKEN";

function refusedLine({ count, lastCode }: Status["refused"]): string[] {
  if (count === 0) return [];
  const many = count === REFUSALS_MAX ? `${count} or more` : count;
  return [line("refused", `${many} in the last hour, last ${lastCode}: lull refusals`)];
}

function linesWithin(columns: number | undefined, lines: readonly string[]): string {
  return lines.map((each) => wrapped(each, LABEL_WIDTH, columns)).join("\n");
}

function line(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${text}`;
}

function serviceSaid(service: RunningService, port: number): string {
  switch (service.kind) {
    case "none":
      return `none answers on port ${port}`;
    case "silent":
      return "the port accepts and does not answer: it is frozen, or another program";
    case "unready":
      return `runs, and is not ready: ${oneLine(service.why, REASON_MAX)}`;
    case "ready": {
      const { workers } = service;
      if (workers === undefined) return "runs, and is ready";
      const missing = workers.up < workers.configured ? `, of ${workers.configured}` : "";
      return `runs, and is ready, with ${counted(workers.up, "worker")}${missing}`;
    }
  }
}
