import type { Removal } from "../simulation/protections.ts";

/** The kind of day on which its absence shows, as `simulated-aws.ts` has them. */
export type Day = "SIMULATION" | "CALM" | "REPEATING" | "BELATED" | "FAILING" | "POISONED";

export interface AwsRemoval extends Removal {
  readonly day?: Day;
}

/** What only an engine without transactions needs, and what every engine needs, as this one has it. */
export const AWS_REMOVALS: readonly AwsRemoval[] = [
  {
    protection: "what is staged already is armed all the same",
    day: "REPEATING",
    patches: [
      {
        file: "engines/aws/steps/receive.ts",
        find: '  await armFor(context, row, conversation);\n  return { kind: "duplicate" };',
        replace: '  return { kind: "duplicate" };',
      },
    ],
  },
  {
    protection: "the due time is computed from what is staged",
    patches: [
      {
        file: "core/take-batch.ts",
        find: "if (taker.nowMs < due) return armAt(state, due, taker);",
        replace: "",
      },
    ],
  },
  {
    protection: "disarm before the batch is read",
    day: "CALM",
    patches: [
      {
        file: "engines/aws/steps/look.ts",
        find:
          "  const window = await (isKept ? undefined : disarm(context, stored.id, leasedAtMs));\n" +
          "  const rows = await stagedRows(context, stored.id, { isForTurn: true });\n",
        replace:
          "  const rows = await stagedRows(context, stored.id, { isForTurn: true });\n" +
          "  const window = await (isKept ? undefined : disarm(context, stored.id, leasedAtMs));\n",
      },
    ],
  },
  {
    protection: "what is staged but already committed is dropped",
    day: "BELATED",
    patches: [
      {
        file: "engines/aws/steps/look.ts",
        find: "rememberedAmong(context, candidates(context, stored, rows)),",
        replace: "(void rememberedAmong, void candidates, new Set<string>()),",
      },
    ],
  },
  {
    protection: "an overdue window's trigger is sent again",
    patches: [
      {
        file: "engines/aws/steps/window.ts",
        find: "return atMs + settings.graceMs <= nowMs || !comesInTime(atMs, nowMs + settings.clockSkewMs);",
        replace: "return atMs === undefined;",
      },
    ],
  },
  {
    protection: "the sweeper triggers lapsed leases",
    patches: [
      {
        file: "engines/aws/steps/sweep.ts",
        find: "if (!lease || isLive) return false;",
        replace: "if (lease || !isLive) return false;",
      },
    ],
  },
  {
    protection: "the sweeper arms orphans",
    day: "REPEATING",
    patches: [
      {
        file: "engines/aws/steps/sweep.ts",
        find: "return { done: await filterInParallel(alone, WIDTH, (id) => armOrphan(context, id)), next };",
        replace: "void armOrphan; void alone; return { done: [], next };",
      },
    ],
  },
  {
    protection: "a lease is taken only if it is free or lapsed",
    patches: [
      {
        file: "engines/aws/steps/lease.ts",
        find: 'all(isOfKnownVersion("state"), any(isFree, hasLapsed, isNone));',
        replace: "undefined; void [all, any, isOfKnownVersion, isFree, hasLapsed, isNone];",
      },
    ],
  },
  {
    protection: "a state is written only over the one that was read",
    patches: [
      {
        file: "engines/aws/items/state.ts",
        find: "key, change, isUnchanged(before));",
        replace: "key, change);",
      },
    ],
  },
  {
    protection: "a commit is written only under its own token",
    patches: [
      {
        file: "engines/aws/items/state.ts",
        find: ", condition: isUnchanged(before) }",
        replace: " }",
      },
    ],
  },
  {
    protection: "a turn is dead-lettered only under its own token",
    day: "POISONED",
    patches: [
      {
        file: "engines/aws/items/state.ts",
        find: ", condition: isUnchanged(before) }",
        replace: " }",
      },
    ],
  },
  {
    protection: "a lease of one's own, its answer lost, is recognised",
    day: "CALM",
    patches: [
      {
        file: "engines/aws/steps/lease.ts",
        find: 'if (written.kind === "done" || standing?.token === lease.token) {',
        replace: 'if (written.kind === "done") {',
      },
    ],
  },
  {
    protection: "a window of one's own, its answer lost, is recognised",
    day: "CALM",
    patches: [
      {
        file: "engines/aws/steps/window.ts",
        find: "isMine: found.id === window.id };",
        replace: "isMine: false };",
      },
    ],
  },
  {
    protection: "attempts are counted when the lease is taken",
    patches: [
      {
        file: "core/take-batch.ts",
        find: "    attempts: work.attempts + 1,\n  };",
        replace: "    attempts: Math.max(1, work.attempts),\n  };",
      },
    ],
  },
  {
    protection: "a failed turn arms its window before it releases",
    day: "FAILING",
    patches: [
      {
        file: "engines/aws/steps/release.ts",
        find:
          "  await wakeAt(context, triggerOf(stored), " +
          "{ windowId, dueAtMs, wakeAtMs, leastSeconds: 1 });\n" +
          "  const saved = await saveReleased(context, stored, after, how.kind);\n",
        replace:
          "  const saved = await saveReleased(context, stored, after, how.kind);\n" +
          "  await wakeAt(context, triggerOf(stored), " +
          "{ windowId, dueAtMs, wakeAtMs, leastSeconds: 1 });\n",
      },
    ],
  },
  {
    protection: "committed messages are remembered",
    patches: [
      {
        file: "engines/aws/steps/commit.ts",
        find:
          '    { kind: "put", table: "seen", item: seenItem(context, id, "committed"), ' +
          "condition: isForgotten(nowMs) },\n",
        replace: "",
      },
    ],
  },
  {
    protection: "a lock that is not ours counts as none",
    patches: [
      {
        file: "engines/aws/items/window-item.ts",
        find: 'return read.kind === "sound" ? { kind: "sound", value: standing(item) } : read;',
        replace: 'return read.kind === undefined ? read : { kind: "sound", value: standing(item) };',
      },
    ],
  },
  {
    protection: "a staged row that is not ours is passed over",
    patches: [
      {
        file: "engines/aws/items/stage-item.ts",
        find: 'return read.kind === "sound" ? { kind: "sound", value: weighed(rowFrom(read.value)) } : read;',
        replace: 'return { kind: "sound", value: weighed(rowFrom(item as Item)) };',
      },
    ],
  },
  {
    protection: "windows and leases that a clock set back put far off are brought back",
    patches: [
      {
        file: "engines/aws/steps/clock.ts",
        find: "const isWithin = (ms: number) => setBackAtMs !== undefined && nowMs < setBackAtMs + ms;",
        replace: "const isWithin = (ms: number) => setBackAtMs === -ms;",
      },
    ],
  },
  {
    protection: "what a later clock wrote into a turn is taken to have passed",
    patches: [
      {
        file: "core/take.ts",
        find: "withoutFarTimes(onEarlierClock(noted, { nowMs, clockSkewMs }), nowMs);",
        replace: "withoutFarTimes(noted, nowMs); void onEarlierClock; void clockSkewMs;",
      },
    ],
  },
  {
    protection: "not found counts only when the send must have settled",
    patches: [
      {
        file: "runtime/deliver.ts",
        find: "if (nowMs < settledAtMs) return",
        replace: "if (nowMs < 0) return",
      },
    ],
  },
];
