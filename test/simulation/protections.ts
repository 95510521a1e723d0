/** A protection, taken out of a copy of the sources. `file` is below `src`. */
export interface Removal {
  readonly protection: string;
  readonly patches: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

/** Its absence may show only on a kind of day that `days.ts` has. */
export interface MemoryRemoval extends Removal {
  readonly day?: "LAST_ATTEMPT" | "PROVIDER_AWAY";
}

function ridingAlong(protection: string, ...steps: readonly string[]): Removal {
  const find = "  renew: () => true,";
  const replace = [find, ...steps.map((step) => `  ${step}: () => true,`)].join("\n");
  return { protection, patches: [{ file: "engines/embedded/requests.ts", find, replace }] };
}

const ACKNOWLEDGED = ridingAlong("what is acknowledged is synced before", "stage");
const ABOUT_TO_BE_SENT = ridingAlong("what is about to be sent is synced before", "draft", "writeChunks");

/**
 * Each of these makes the simulator fail. The protections that only an engine without transactions needs (arm
 * on duplicate, dropping what is committed, overdue re-trigger, the orphan sweep) are taken out of that
 * engine, in its own test.
 */
export const REMOVALS: readonly MemoryRemoval[] = [
  ACKNOWLEDGED,
  ABOUT_TO_BE_SENT,
  {
    protection: "a window is armed for every staged message",
    patches: [
      {
        file: "engines/embedded/steps/receive.ts",
        find: "dueAtMs: arm(context, conversationId, dueAtMs, state),",
        replace: "dueAtMs,",
      },
    ],
  },
  {
    protection: "disarm before the batch is read, not after the commit",
    patches: [
      {
        file: "core/take.ts",
        find: "const disarmed: ConversationState = { ...withoutLateDraft(state, taker), window: undefined };",
        replace: "const disarmed: ConversationState = withoutLateDraft(state, taker);",
      },
      {
        file: "engines/embedded/steps/commit.ts",
        find: "saveState(context, id, { ...after, lease: undefined });\n  return",
        replace: "saveState(context, id, { ...after, lease: undefined, window: undefined });\n  return",
      },
    ],
  },
  {
    protection: "that an answer is late is not said once it is there",
    patches: [
      {
        file: "runtime/notice.ts",
        find: 'return isAnsweredIn(history, outbound?.about ?? "") ? "the answer is there" : undefined;',
        replace: "return history.length < 0 ? outbound?.about : undefined;",
      },
    ],
  },
  {
    protection: "that an answer is late is said in one try, and needs nobody",
    patches: [
      {
        file: "runtime/notice.ts",
        find: "return taken.outbound?.about !== undefined;",
        replace: 'return taken.turnId === "";',
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
    protection: "every write of a turn names its token",
    patches: [
      {
        file: "engines/embedded/context.ts",
        find: "return state?.lease?.token === lease.token ? state : undefined;",
        replace: "return state?.lease ? state : undefined;",
      },
    ],
  },
  {
    protection: "a turn behind another has a token of its own",
    patches: [
      {
        file: "engines/embedded/steps/take.ts",
        find: "token: context.newId(),",
        replace: "token: underLease ? state.lease!.token : context.newId(),",
      },
    ],
  },
  {
    protection: "a draft is continued, not made again",
    patches: [
      {
        file: "core/take.ts",
        find: "if (state.draft) {",
        replace: "if (state.draft?.awaitingUntilAtMs !== undefined) {",
      },
    ],
  },
  {
    protection: "a chunk is written as sending before its first byte goes out",
    patches: [
      {
        file: "core/running-turn.ts",
        find: "draft: keepSent(state.draft, written) };",
        replace: "draft: state.draft };",
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
  {
    protection: "a chunk in doubt is asked about before it is sent again",
    patches: [
      {
        file: "runtime/deliver.ts",
        find: "const found = await reconcile(run, draft, chunk);",
        replace: 'const found = { kind: "not-sent" } as ReconcileOutcome; void reconcile;',
      },
    ],
  },
  {
    protection: "staged messages are remembered",
    patches: [
      {
        file: "engines/embedded/context.ts",
        find: "remember(context, [row.id], REMEMBERED_LONGER_MS);",
        replace: "void REMEMBERED_LONGER_MS;",
      },
    ],
  },
  {
    protection: "the commit takes the batch off the stage in the same write",
    patches: [
      {
        file: "engines/embedded/steps/commit.ts",
        find: "tables.staged.remove(id, work.batchIds);",
        replace: "",
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
    protection: "a lapsed lease wakes a worker",
    patches: [
      {
        file: "core/state.ts",
        find: "return state.lease ? state.lease.untilAtMs : state.window?.wakeAtMs;",
        replace: "return state.lease ? undefined : state.window?.wakeAtMs;",
      },
    ],
  },
  {
    protection: "a failed turn arms its window before it releases",
    patches: [
      {
        file: "core/release.ts",
        find: "return { ...withWork(state, work), window, lease: undefined,",
        replace: "return { ...withWork(state, work), window: undefined, lease: undefined,",
      },
    ],
  },
  {
    protection: "an outage takes its attempt back",
    patches: [
      {
        file: "core/release.ts",
        find: "withOutage(takenBack(failed), outageSinceAtMs)",
        replace: "withOutage(failed, outageSinceAtMs)",
      },
    ],
  },
  {
    protection: "a crash after the send in the last attempt is asked about",
    day: "LAST_ATTEMPT",
    patches: [
      {
        file: "core/take.ts",
        find: 'return countedOf(work) >= (kind === "send" ? attemptsMax : 2 * attemptsMax);',
        replace: "return countedOf(work) >= attemptsMax;",
      },
    ],
  },
  {
    protection: "who waits for a time that a clock set back put far off is looked at",
    patches: [
      {
        file: "core/state.ts",
        find: "if (!isTooLong && !isAhead) return state;",
        replace: "if (!isTooLong || isAhead) return state;",
      },
    ],
  },
  {
    protection: "no lease outlasts a lease when the clock was set back",
    patches: [
      {
        file: "core/state.ts",
        find: "lease: isTooLong ? { ...lease, untilAtMs: nowMs + leaseMs } : lease,",
        replace: "lease,",
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
    protection: "a due time beyond the longest window is due now",
    patches: [
      {
        file: "core/due.ts",
        find: "return Math.max(wasSetBack ? nowMs : closedAtMs, notBeforeAtMs);",
        replace: "return Math.max(closedAtMs, notBeforeAtMs); void wasSetBack;",
      },
    ],
  },
  {
    protection: "when something was sent is looked up on the provider's clock",
    patches: [
      {
        file: "wire/provider-clock.ts",
        find: ": wholeSecond(notBeforeAtMs - (nowMs - theirNowMs));",
        replace: ": askedAtMs;",
      },
    ],
  },
  {
    protection: "a late send is told",
    patches: [
      {
        file: "runtime/provider-calls.ts",
        find:
          'if (lateMs > 0 && (outcome.kind === "sent" || lateMs >= FROZEN_MS_MIN)) ' +
          "tellLate(outcome.kind);",
        replace: "void lateMs;",
      },
    ],
  },
  {
    protection: "asking goes on for as long as it may help",
    patches: [
      {
        file: "runtime/deliver.ts",
        find: 'if (found.retry === "never" || ageMs >= run.settings.retryForMs)',
        replace: 'if (found.retry === "never" || ageMs >= 0)',
      },
    ],
  },
  {
    protection: "asking backs off",
    day: "PROVIDER_AWAY",
    patches: [
      {
        file: "runtime/deliver.ts",
        find: "const afterMs = backoffByAgeMs(ageMs, run.settings, run.random);",
        replace: "const afterMs = 0; void backoffByAgeMs;",
      },
    ],
  },
];

/** Taken out, a power cut takes back what was promised: on a file of SQLite, by what it really syncs. */
export const SYNC_REMOVALS: readonly Removal[] = [
  {
    protection: "what is promised does not ride along",
    patches: [
      {
        file: "engines/embedded/requests.ts",
        find: "return RIDES_ALONG[name]?.(input) ?? false;",
        replace: "return true;",
      },
    ],
  },
  ACKNOWLEDGED,
  ABOUT_TO_BE_SENT,
  {
    protection: "syncing is turned on again after a commit that needed none",
    patches: [
      {
        file: "engines/sqlite/connection.ts",
        find: "if (on === this.#isOn) return;",
        replace: "if (this.#isOn === false) return;",
      },
    ],
  },
];
