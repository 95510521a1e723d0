import type { DeadLetter } from "../../model/dead-letter.ts";
import type { Counts, Inspector, LockRecord } from "../../ports/inspector.ts";
import { version } from "../../process/version.ts";
import { type FailingReason, type Standing, standingOf } from "../../runtime/standing.ts";
import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { counted } from "../output/counted.ts";
import { printJson } from "../output/print.ts";
import { oneLine } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { askService, type RunningService } from "../running-service.ts";

/** Conversations that are looked at. */
const LOOKS_MAX = 5_000;
const PAGE = 500;
/** A service on this machine answers at once, or it has other problems. */
const SERVICE_MS = 3_000;
const REASON_MAX = 100;
const LABEL_WIDTH = 10;

interface Status {
  readonly version: string;
  readonly service: RunningService;
  readonly counts: Counts;
  readonly standing: Standing;
  /** The latest message that got no turn. */
  readonly lastError?: Pick<DeadLetter, "id" | "reason" | "atMs">;
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
      const [service, counts, { locks, isCut }, dead] = await Promise.all([
        askService(loaded.server, lull, AbortSignal.timeout(SERVICE_MS)),
        inspector.counts(),
        locksOf(inspector),
        inspector.dead({ limit: 1 }),
      ]);
      const standing = standingOf(locks, nowMs);
      const last = dead.items[0];
      const lastError = last && { id: last.id, reason: last.reason, atMs: last.atMs };
      const found = { version: version(), service, counts, standing, ...(lastError && { lastError }), isCut };
      if (call.json) printJson(call, found);
      else call.io.out(linesOf(found, nowMs).join("\n"));
      return 0;
    }),
};

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
    line("service", serviceSaid(found.service)),
    ...(counts.paused ? [line("paused", "nobody is answered: lull resume")] : []),
    line("waiting", waiting(found, nowMs)),
    ...(standing.answering === 0 ? [] : [line("answering", counted(standing.answering, "conversation"))]),
    ...standing.failing.map((reason) => line("failing", failing(reason, nowMs))),
    ...(counts.dead === 0 ? [] : [line("dead", `${counted(counts.dead, "letter")}: lull dead`)]),
    ...(lastError
      ? [line("", `last ${relativeTime(lastError.atMs, nowMs)}: ${oneLine(lastError.reason, REASON_MAX)}`)]
      : []),
    ...(counts.unknown === 0 ? [] : [line("unknown", `${counted(counts.unknown, "send")}: lull unknown`)]),
    ...(counts.quarantined === 0
      ? []
      : [line("set aside", `${counted(counts.quarantined, "row")}: lull quarantine`)]),
    line("in all", `${counted(counts.conversations, "conversation")}, ${counted(counts.turns, "turn")}`),
  ];
}

function line(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${text}`;
}

function serviceSaid(service: RunningService): string {
  switch (service.kind) {
    case "none":
      return "none answers on the configured port";
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

function waiting({ counts, standing, isCut }: Status, nowMs: number): string {
  if (counts.staged === 0) return "nothing";
  const { oldestDueAtMs } = standing;
  const conversations = `${counted(standing.waiting, "conversation")}${isCut ? " or more" : ""}`;
  const due = oldestDueAtMs === undefined ? "" : `; the first is due ${relativeTime(oldestDueAtMs, nowMs)}`;
  return `${counted(counts.staged, "message")} in ${conversations}${due}`;
}

function failing({ reason, conversations, sinceAtMs, againAtMs }: FailingReason, nowMs: number): string {
  const parts = [
    `${counted(conversations, "conversation")} wait${conversations === 1 ? "s" : ""}`,
    sinceAtMs !== undefined && `since ${relativeTime(sinceAtMs, nowMs)}`,
    againAtMs !== undefined && `tried again ${relativeTime(againAtMs, nowMs)}`,
  ];
  return `${oneLine(reason, REASON_MAX)} (${parts.filter(Boolean).join(", ")})`;
}
