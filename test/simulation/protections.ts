/** A protection, taken out of a copy of the sources. `file` is below `src`. */
export interface Removal {
  readonly protection: string;
  readonly patches: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

/**
 * Each of these makes the simulator fail. The protections that only an engine without transactions needs (arm on duplicate, dropping
 * what is committed, overdue re-trigger, the orphan sweep) are taken out of that engine, in its own test.
 */
export const REMOVALS: readonly Removal[] = [
  {
    protection: "a window is armed for every staged message",
    patches: [
      {
        file: "engines/embedded/receiving.ts",
        find: "const due = arm(step, conversationIdOfIt, dueAtMs(span, windowOf(step, conversation, arrival.channel)));",
        replace: "const due = dueAtMs(span, windowOf(step, conversation, arrival.channel));",
      },
    ],
  },
  {
    protection: "disarm before the batch is read, not after the commit",
    patches: [
      {
        file: "core/take.ts",
        find: "const disarmed: ConversationState = { ...withoutLateDraft(state), window: undefined };",
        replace: "const disarmed: ConversationState = withoutLateDraft(state);",
      },
      {
        file: "engines/embedded/turning.ts",
        find: "saveState(step, lease.conversationId, { ...after, lease: undefined });\n  return",
        replace:
          "saveState(step, lease.conversationId, { ...after, lease: undefined, window: undefined });\n  return",
      },
    ],
  },
  {
    protection: "the due time is computed from what is staged",
    patches: [
      {
        file: "core/take.ts",
        find: "if (taker.nowMs < due) return armAt(state, due, taker);",
        replace: "",
      },
    ],
  },
  {
    protection: "every write of a turn names its token",
    patches: [
      {
        file: "engines/embedded/step.ts",
        find: "return state?.lease?.token === lease.token ? state : undefined;",
        replace: "return state?.lease ? state : undefined;",
      },
    ],
  },
  {
    protection: "a turn behind another has a token of its own",
    patches: [
      {
        file: "engines/embedded/taking.ts",
        find: "token: step.newId(),",
        replace: "token: underLease ? state.lease!.token : step.newId(),",
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
    protection: "a chunk is marked before its first byte goes out",
    patches: [
      {
        file: "engines/embedded/turning.ts",
        find: "const renewed = extended(step, { ...state, draft: keepSent(state.draft, written) });",
        replace: "const renewed = extended(step, { ...state, draft: state.draft });",
      },
    ],
  },
  {
    protection: "a chunk in doubt has time to settle before the provider is asked",
    patches: [
      {
        file: "core/draft.ts",
        find: 'return { kind: "ask", chunk, fromAtMs };',
        replace: 'return { kind: "ask", chunk, fromAtMs: 0 };',
      },
      {
        file: "runtime/deliver.ts",
        find: "const notBeforeAtMs = Math.max(from + settings.settleMs, clock.nowMs());",
        replace: "const notBeforeAtMs = clock.nowMs(); void from;",
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
    protection: "committed messages are remembered",
    patches: [
      {
        file: "engines/embedded/turning.ts",
        find: 'tables.remember(ids, "committed", nowMs + settings.dedupeMs);',
        replace: "void ids;",
      },
    ],
  },
  {
    protection: "the commit takes the batch off the stage in the same write",
    patches: [
      {
        file: "engines/embedded/turning.ts",
        find: "tables.unstage(lease.conversationId, work.batchIds);",
        replace: "",
      },
    ],
  },
  {
    protection: "attempts are counted when the lease is taken",
    patches: [
      {
        file: "core/take.ts",
        find: "    attempts: work.attempts + 1,\n  };",
        replace: "    attempts: Math.max(1, work.attempts),\n  };",
      },
    ],
  },
  {
    protection: "a lapsed lease wakes somebody up",
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
        file: "core/give-back.ts",
        find: "return { ...withWork(state, work), window, lease: undefined,",
        replace: "return { ...withWork(state, work), window: undefined, lease: undefined,",
      },
    ],
  },
];
