import type { KeptBack } from "../../core/pause.ts";
import type { Stood } from "../../core/standing.ts";
import type { LockRecord } from "../../ports/inspector.ts";
import { type Command, PAGE_OPTIONS, pageOf } from "../command.ts";
import { withData } from "../data.ts";
import { ALL_PAUSED, pausesNow, stoodNow } from "../kept-back.ts";
import { printListing } from "../output/print.ts";
import { oneLine } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";

/** The beginning of a worker's id tells which it is. */
const HOLDER_MAX = 18;
const NOTE_MAX = 40;
const EMPTY = "-";

export const locks: Command = {
  about: `Windows and leases as they stand now: what gathers, what is being answered, by which worker and
since when, what is kept back by a pause, and what waits for another system (honourStatus).`,
  options: PAGE_OPTIONS,
  run: (call) =>
    withData(call, async ({ lull, engine }) => {
      const listing = await engine.inspector.locks(pageOf(call));
      const pauses = await pausesNow({ lull, engine });
      const stood = call.json ? [] : await stoodNow({ lull, engine }, listing.items, pauses);
      if (pauses.all && !call.json) call.io.out(`${ALL_PAUSED}\n`);
      const rows = new Map(stood.map((each) => [each.lock, cellsOf(each, call.io.nowMs())]));
      const head = columnsIn([...rows.values()]);
      printListing(call, listing, {
        head,
        row: (lock) => head.map((column) => rows.get(lock)?.[column] ?? EMPTY),
        none: "Nothing gathers and nothing is being answered.",
      });
      return 0;
    }),
};

type Cells = Readonly<Record<string, string>>;

/** A column that says nothing in any row only makes lines longer. */
function columnsIn(rows: readonly Cells[]): string[] {
  const [first = {}] = rows;
  return Object.keys(first).filter((column) => rows.some((row) => row[column] !== EMPTY));
}

function cellsOf({ lock, keptBack }: Stood<LockRecord>, nowMs: number): Cells {
  const { conversationId, window, lease, staged, attempts, draft } = lock;
  const held = heldBy(lock);
  return {
    conversation: conversationId,
    staged: String(staged),
    // What is kept back is not late.
    due: window && !keptBack ? relativeTime(window.dueAtMs, nowMs) : EMPTY,
    lease: lease ? leaseOf(lease.untilAtMs, nowMs) : EMPTY,
    "held by": held ? oneLine(held.by, HOLDER_MAX) : EMPTY,
    since: held ? relativeTime(held.sinceAtMs, nowMs) : EMPTY,
    attempts: attempts === 0 ? EMPTY : String(attempts),
    draft: draft ? "yes" : EMPTY,
    note: noteOn(lock, keptBack) ?? EMPTY,
  };
}

const KEPT_BACK: Readonly<Record<KeptBack["by"], string>> = {
  "all-paused": "all paused",
  "project-paused": "project paused",
  paused: "paused",
};

/** Why it is not answered, in a word or two; `conversations show` has the rest. */
function noteOn({ failing, elsewhere }: LockRecord, keptBack: KeptBack | undefined): string | undefined {
  if (keptBack) return KEPT_BACK[keptBack.by];
  if (elsewhere) return "another system";
  return failing && oneLine(`failing: ${codeIn(failing.reason)}`, NOTE_MAX);
}

/** Reasons begin with a code, if they have one. */
function codeIn(reason: string): string {
  return /^[A-Z][A-Z0-9_]+(?=:|$)/.exec(reason)?.[0] ?? reason;
}

/** A worker of ours that only looks does not have it: the other system still does. */
function heldBy({ lease, elsewhere }: LockRecord): { by: string; sinceAtMs: number } | undefined {
  if (elsewhere) return { by: "another system", sinceAtMs: elsewhere.sinceAtMs };
  return lease && { by: lease.holder, sinceAtMs: lease.takenAtMs };
}

function leaseOf(untilAtMs: number, nowMs: number): string {
  return untilAtMs > nowMs
    ? `ends ${relativeTime(untilAtMs, nowMs)}`
    : `lapsed ${relativeTime(untilAtMs, nowMs)}`;
}
