import type { Mutant } from "./mutants.ts";

/** A mutant that may live, and why. Found again by its text, wherever its line goes. */
export interface Explained {
  readonly file: string;
  /** The line. */
  readonly code: string;
  /** `what stood there → what stands there now`, as the run prints it. */
  readonly change: string;
  readonly because: string;
}

export const EXPLAINED: readonly Explained[] = [
  {
    file: "src/core/batch.ts",
    code: "(byProvider ? (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0) : 0) ||",
    change: "0 → 1 (2)",
    because: "equivalent: it stands for a time that is there, or the messages would not go by it",
  },
  {
    file: "src/core/batch.ts",
    code: "(byProvider ? (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0) : 0) ||",
    change: "0 → 1",
    because: "equivalent: it stands for a time that is there, or the messages would not go by it",
  },
  {
    file: "src/core/batch.ts",
    code: "(a.id < b.id ? -1 : 1),",
    change: "1 → 2",
    because: "equivalent: sorting looks at the sign",
  },
  {
    file: "src/core/chunks.ts",
    code: "return graphemeBefore(text.slice(0, max + 2), max);",
    change: "2 → 3",
    because: "equivalent: what begins before the limit is whole with one unit more, too",
  },
  {
    file: "src/core/outage.ts",
    code: "if (!isObject(from)) return undefined;",
    change: "!isObject(from) → false",
    because:
      "equivalent: what is no object has none of the fields asked for, and reading from nothing is caught",
  },
  {
    file: "src/core/queue-url.ts",
    code: 'return REGION.exec(URL.parse(queueUrl)?.host ?? "")?.[1];',
    change: 'URL.parse(queueUrl)?.host ?? "" → URL.parse(queueUrl)?.host',
    because: "equivalent: the pattern finds no region in the word undefined either",
  },
  {
    file: "src/core/reply.ts",
    code: "return Number.isFinite(count) && count >= 0 && count <= Number.MAX_SAFE_INTEGER ? count : 0;",
    change: "0 → 1",
    because: "equivalent: no tokens are 0 tokens either way",
  },
  {
    file: "src/core/retry.ts",
    code: '{ failingSinceAtMs: since, draftedAtMs = 0 }: Pick<Tried, "failingSinceAtMs" | "draftedAtMs">,',
    change: "0 → 1",
    because: "equivalent: nothing has failed since the first millisecond of 1970",
  },
  {
    file: "src/core/retry.ts",
    code: "return since !== undefined && since >= draftedAtMs && since <= nowMs ? since : nowMs;",
    change: "since <= nowMs → since < nowMs",
    because: "equivalent: at that millisecond both are the same time",
  },
  {
    file: "src/core/sound-message.ts",
    code: "if (!entries.some(([, each]) => each === null)) return value;",
    change: "!entries.some(([, each]) => each === null) → false",
    because: "equivalent: a shortcut; without it the copy has the same fields",
  },
  {
    file: "src/engines/embedded/conversing.ts",
    code: "const chosen = window === undefined ? ownWindow : (window ?? undefined);",
    change: "window ?? undefined → window",
    because: "equivalent: null is left out of the record as undefined is",
  },
  {
    file: "src/engines/embedded/conversing.ts",
    code: "if (goesOn && step.tables.stagedCount(id) > 0) wakeNow(step, id);",
    change: "goesOn && step.tables.stagedCount(id) > 0 → true",
    because: "only a look more, that finds nothing due",
  },
  {
    file: "src/engines/embedded/conversing.ts",
    code: "if (goesOn && step.tables.stagedCount(id) > 0) wakeNow(step, id);",
    change: "step.tables.stagedCount(id) > 0 → step.tables.stagedCount(id) >= 0",
    because: "only a look more, that finds nothing due",
  },
  {
    file: "src/engines/embedded/receiving.ts",
    code: "if (other === undefined || other === conversation.senderAlias) return conversation;",
    change: "other === undefined || other === conversation.senderAlias → false",
    because: "only a write more, of the same record",
  },
  {
    file: "src/engines/embedded/remedying.ts",
    code: 'return staged === "not-found" ? "not-found" : "staged";',
    change: 'staged === "not-found" → false',
    because: "defence in depth: who is erased has no unknown sends left to resend",
  },
  {
    file: "src/engines/embedded/step.ts",
    code: "const channelWindow = channel === undefined ? undefined : step.settings.channels[channel]?.window;",
    change: "channel === undefined → false",
    because: "equivalent: no channel is called undefined",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "const byMs = Math.max(0, (mark?.latestAtMs ?? nowMs) - nowMs);",
    change: "0 → 1",
    because: "equivalent: what is compared with it is 15 s at least",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "if (awake !== state) saveState(step, id, awake);",
    change: "awake !== state → true",
    because: "only a write more, of the same state",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "const made = state.lease ? undefined : { id: step.newId(), dueAtMs: due, wakeAtMs: due };",
    change: "state.lease → false",
    because: "only a look more: under a lease it finds that somebody is at work",
  },
  {
    file: "src/engines/embedded/taking.ts",
    code: 'recentProviderIds: what === "draft" ? step.tables.recentProviderIds(work.recordId) : [],',
    change: 'what === "draft" → true',
    because: "only a read more: whoever continues no draft asks nobody",
  },
  {
    file: "src/engines/embedded/turning.ts",
    code: "const made = isLeft ? { id: step.newId(), dueAtMs: step.nowMs, wakeAtMs: step.nowMs } : undefined;",
    change: "isLeft → true",
    because: "only a look more, that finds nothing staged",
  },
  {
    file: "src/runtime/ask.ts",
    code: 'ended.abort(asked.kind === "answered" ? "answered" : undefined);',
    change: 'asked.kind === "answered" → true',
    because: "only the reason of an abort, which spares a stack that nobody reads",
  },
  {
    file: "src/runtime/ask.ts",
    code: 'ended.abort(asked.kind === "answered" ? "answered" : undefined);',
    change: 'asked.kind === "answered" → false',
    because: "only the reason of an abort, which spares a stack that nobody reads",
  },
  {
    file: "src/runtime/ask.ts",
    code: 'ended.abort(asked.kind === "answered" ? "answered" : undefined);',
    change: 'asked.kind === "answered" → asked.kind !== "answered"',
    because: "only the reason of an abort, which spares a stack that nobody reads",
  },
  {
    file: "src/runtime/ask.ts",
    code: "const message = `no answer within ${answerTimeoutMs / 1_000} s`;",
    change: "answerTimeoutMs / 1_000 → answerTimeoutMs * 1_000",
    because: "words for people",
  },
  {
    file: "src/runtime/ask.ts",
    code: "const message = `no answer within ${answerTimeoutMs / 1_000} s`;",
    change: "1_000 → 1001",
    because: "words for people",
  },
  {
    file: "src/runtime/create-service.ts",
    code: "if ((lock?.staged ?? 0) >= settings.stagedMessagesMax) throw full(settings.stagedMessagesMax);",
    change: "lock?.staged ?? 0 → lock?.staged",
    because: "equivalent: undefined is not as many either",
  },
  {
    file: "src/runtime/create-service.ts",
    code: "if ((lock?.staged ?? 0) >= settings.stagedMessagesMax) throw full(settings.stagedMessagesMax);",
    change: "0 → 1",
    because: "equivalent unless one message may wait, where nothing waits",
  },
  {
    file: "src/runtime/create-service.ts",
    code: "...(media.length > 0 && { media }),",
    change: "media.length > 0 → media.length >= 0",
    because: "equivalent: a list of no media is none",
  },
  {
    file: "src/runtime/create-service.ts",
    code: "const FULL_RETRY_MS = 60_000;",
    change: "60_000 → 60001",
    because: "a guess at when to come back, not a promise",
  },
  {
    file: "src/runtime/deliver.ts",
    code: 'const goOn = (draft: Draft) => ({ kind: "draft", draft }) as const;',
    change: '"draft" → "other"',
    because: "equivalent: only the end of a turn is asked for by its kind",
  },
  {
    file: "src/runtime/deliver.ts",
    code: 'const canAsk = channels[draft.channel]?.reconcile !== undefined && state.kind === "sending";',
    change:
      'channels[draft.channel]?.reconcile !== undefined && state.kind === "sending" → channels[draft.channel]?.reconcile !== undefined || state.kind === "sending"',
    because: "timing only: a channel that cannot be asked is looked at sooner, and settles no sooner",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "const textMax = run.channels[channel]?.textMax ?? Number.POSITIVE_INFINITY;",
    change: "run.channels[channel]?.textMax ?? Number.POSITIVE_INFINITY → run.channels[channel]?.textMax",
    because: "equivalent: no length is longer than no number",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "return draft.chunks.length === 0 ? draft : sending(run, draft, 0);",
    change: "draft.chunks.length === 0 → draft.chunks.length !== 0",
    because: "only a write more: a chunk that is not marked with the draft is marked before it is sent",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "return draft.chunks.length === 0 ? draft : sending(run, draft, 0);",
    change: "draft.chunks.length === 0 → false",
    because: "equivalent: without a chunk there is none to mark",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "return draft.chunks.length === 0 ? draft : sending(run, draft, 0);",
    change: "0 → 1",
    because: "only a write more: a chunk that is not marked with the draft is marked before it is sent",
  },
  {
    file: "src/runtime/heartbeat.ts",
    code: "else schedule(Math.min(renewMs, Math.max(1, (lease.untilAtMs - clock.nowMs()) / 2)));",
    change: "2 → 3",
    because: "timing only: how often a store that is away is asked again",
  },
  {
    file: "src/runtime/provider-calls.ts",
    code: "const FROZEN_MS_MIN = 1_000;",
    change: "1_000 → 1001",
    because: "a guess at how late a timer may be on a busy machine",
  },
  {
    file: "src/engines/sqlite/connection.ts",
    code: "database.exec(",
    change: "database.exec( `PRAGMA synchronous = ${options.synchronous}; PRAGMA temp_store = memory... → ;",
    because:
      "SQLite's own default is full, and durability.test.ts looks at what the connection says; the rest is speed",
  },
  {
    file: "src/engines/sqlite/connection.ts",
    code: "pause(0.1 + Math.random() * 0.9);",
    change: "0.1 → 1.1",
    because: "timing only: the pause between two tries for the lock",
  },
  {
    file: "src/engines/sqlite/connection.ts",
    code: 'const salt = randomBytes(16).toString("hex");',
    change: "16 → 17",
    because: "a salt of another length is as good",
  },
  {
    file: "src/engines/sqlite/group.ts",
    code: 'database.exec("RELEASE step");',
    change: 'database.exec("RELEASE step"); → ;',
    because: "equivalent: the commit releases what is left",
  },
  {
    file: "src/engines/sqlite/group.ts",
    code: 'if (database.isTransaction) database.exec("ROLLBACK TO step; RELEASE step");',
    change: "database.isTransaction → true",
    because: "only the words of an error that is told either way",
  },
  {
    file: "src/engines/sqlite/shrink-log.ts",
    code: "export const LOG_BYTES_MAX = 64_000_000;",
    change: "64_000_000 → 64000001",
    because: "a size to begin at, not a promise",
  },
  {
    file: "src/engines/sqlite/shrink-log.ts",
    code: "if (size <= LOG_BYTES_MAX) return;",
    change: "size <= LOG_BYTES_MAX → false",
    because: "only a checkpoint more",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "const GROUP_MAX = 1_000;",
    change: "1_000 → 1001",
    because: "a group's size, not a promise: what is left is the next group",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "return at >= GROUP_MAX || (at > 0 && length > GROUP_LENGTH_MAX);",
    change: "length > GROUP_LENGTH_MAX → length >= GROUP_LENGTH_MAX",
    because: "a group's size, not a promise: what is left is the next group",
  },
  {
    file: "src/runtime/receive.ts",
    code: "if (given.length === 0) return {};",
    change: "given.length === 0 → false",
    because: "equivalent: nothing is staged of no messages",
  },
  {
    file: "src/runtime/receive.ts",
    code: "if (conversationId !== undefined) {",
    change: "conversationId !== undefined → true",
    because: "equivalent: a conversation without an id is not found",
  },
  {
    file: "src/runtime/suspects.ts",
    code: 'if (given.kind === "lost") return { kind: "lost" };',
    change: '"lost" → "other"',
    because: "equivalent: only turns that were abandoned are asked for by name",
  },
  {
    file: "src/runtime/sweeper.ts",
    code: "const PAUSE_MS = 10;",
    change: "10 → 11",
    because: "timing only: the rest between two rounds",
  },
  {
    file: "src/runtime/system-clock.ts",
    code: "const timer = setTimeout(done, Math.min(Math.max(0, ms), TIMER_MS_MAX));",
    change: "0 → 1",
    because: "equivalent: the platform's shortest timer is a millisecond",
  },
  {
    file: "src/runtime/take-turn.ts",
    code: "heartbeat.stop();",
    change: "heartbeat.stop(); → ;",
    because: "defence in depth: whoever ends a turn has stopped it; one that was lost ends at its next beat",
  },
  {
    file: "src/runtime/turn-end.ts",
    code: "heartbeat.stop();",
    change: "heartbeat.stop(); → ;",
    because:
      "defence in depth: take-turn stops it too, and a renewal that crosses a commit is refused by its token",
  },
  {
    file: "src/runtime/turn-end.ts",
    code: "heartbeat.stop();",
    change: "heartbeat.stop(); → ;",
    because:
      "defence in depth: take-turn stops it too, and a renewal that crosses a release is refused by its token",
  },
  {
    file: "src/runtime/turn-end.ts",
    code: "const more = taken.cut || taken.draft !== undefined || taken.outbound !== undefined;",
    change: "taken.draft !== undefined → taken.draft === undefined",
    because: "timing only: what is due behind a draft has a window of its own",
  },
  {
    file: "src/runtime/worker.ts",
    code: "const cancel = clock.after(Math.max(0, atMs - clock.nowMs()), () => {",
    change: "0 → 1",
    because: "timing only: a millisecond",
  },
  {
    file: "src/runtime/worker.ts",
    code: "this.#sleepsUntilAtMs = untilAtMs;",
    change: "this.#sleepsUntilAtMs = untilAtMs; → ;",
    because: "only a look more",
  },
  {
    file: "src/runtime/worker.ts",
    code: "if (outcomes.length > 0) return clock.nowMs();",
    change: "outcomes.length > 0 → false",
    because: "timing only: whoever ends a turn looks for the next one",
  },
  {
    file: "src/runtime/worker.ts",
    code: "if (outcomes.length > 0) return clock.nowMs();",
    change: "0 → 1",
    because: "timing only: whoever ends a turn looks for the next one",
  },
  {
    file: "src/runtime/worker.ts",
    code: "return nextAtMs !== undefined && nextAtMs > clock.nowMs() ? Math.min(nextAtMs, pollAtMs()) : pollAtMs();",
    change: "nextAtMs > clock.nowMs() → nextAtMs >= clock.nowMs()",
    because: "only a look more",
  },
  {
    file: "src/runtime/provider-calls.ts",
    code: "over.abort(OVER);",
    change: "over.abort(OVER); → ;",
    because: "only a timer that is left to run out",
  },
  {
    file: "src/engines/embedded/receiving.ts",
    code: 'if (draft?.turnId !== reference.turnId || draft.chunks[reference.chunk]?.state.kind !== "sending")',
    change:
      'draft?.turnId !== reference.turnId || draft.chunks[reference.chunk]?.state.kind !== "se... → draft?.turnId !== reference.turnId && draft.chunks[reference.chunk]?.state.kind !== "se...',
    because:
      "defence in depth: of all turns that are not over only the one that was sent has a draft, and of those that are over the conversation is not looked up",
  },
  {
    file: "src/engines/embedded/inspecting.ts",
    code: "const DETAIL_ROWS_MAX = 500;",
    change: "500 → 501",
    because: "rows of a page, not a promise",
  },
  {
    file: "src/runtime/provider-calls.ts",
    code: 'if (!channel?.reconcile) return { kind: "cannot-tell", why: "the channel cannot be asked", retry: "never" };',
    change: '"cannot-tell" → "other"',
    because: "equivalent: only what was found, or certainly was not, is asked for by name",
  },
  {
    file: "src/runtime/provider-calls.ts",
    code: '(error): ReconcileOutcome => ({ kind: "cannot-tell", why: String(error) }),',
    change: '"cannot-tell" → "other"',
    because: "equivalent: only what was found, or certainly was not, is asked for by name",
  },
  {
    file: "src/runtime/provider-calls.ts",
    code: 'const ofThisTurn = draft.chunks.flatMap(({ state }) => (state.kind === "sent" ? [state.providerId] : []));',
    change: 'state.kind === "sent" → true',
    because: "equivalent: an id that is none is nobody's",
  },
  {
    file: "src/runtime/system-clock.ts",
    code: "const timer = setTimeout(run, Math.min(Math.max(0, ms), TIMER_MS_MAX));",
    change: "0 → 1",
    because: "equivalent: the platform's shortest timer is a millisecond",
  },
  {
    file: "src/runtime/worker.ts",
    code: "#sleepsUntilAtMs = 0;",
    change: "0 → 1",
    because: "equivalent: it is set before the first look",
  },
  {
    file: "src/runtime/worker.ts",
    code: "if (isAside) this.#tell(outcome);",
    change: "this.#tell(outcome); → ;",
    because: "a line of the log: the dead letter itself is kept, counted and shown",
  },
  {
    file: "src/runtime/worker.ts",
    code: "if (next) this.#tell(next);",
    change: "this.#tell(next); → ;",
    because: "a line of the log: the dead letter itself is kept, counted and shown",
  },
  {
    file: "src/engines/sqlite/session.ts",
    code: "const database = new DatabaseSync(options.file, { readOnly: true, timeout: 0 });",
    change: "true → false",
    because: "defence in depth: it is only read from",
  },
  {
    file: "src/engines/sqlite/session.ts",
    code: "const database = new DatabaseSync(options.file, { readOnly: true, timeout: 0 });",
    change: "0 → 1",
    because: "timing only: a millisecond",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "this.#flushing = true;",
    change: "this.#flushing = true; → ;",
    because: "only a look more at a queue that is empty by then",
  },
  {
    file: "src/engines/embedded/step.ts",
    code: "if (wakeAt !== undefined && !state.lease) step.armed(wakeAt);",
    change: "wakeAt !== undefined && !state.lease → wakeAt !== undefined || !state.lease",
    because: "only a look more, when a lease may have lapsed",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "const DAY_MS = 24 * 3_600_000;",
    change: "24 → 25",
    because: "how many days rows are kept, give or take an hour",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "const DAY_MS = 24 * 3_600_000;",
    change: "3_600_000 → 3600001",
    because: "how many days rows are kept, give or take a millisecond",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "if (ids.length > 0) step.armed(step.nowMs);",
    change: "ids.length > 0 → false",
    because: "timing only: the next poll finds what was freed",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "if (ids.length > 0) step.armed(step.nowMs);",
    change: "ids.length > 0 → ids.length >= 0",
    because: "only a look more",
  },
  {
    file: "src/engines/embedded/sweeping.ts",
    code: "if (ids.length > 0) step.armed(step.nowMs);",
    change: "0 → 1",
    because: "timing only: the next poll finds what was freed",
  },
  {
    file: "src/engines/embedded/taking.ts",
    code: "return nextAtMs === undefined ? { outcomes } : { outcomes, nextAtMs };",
    change: "nextAtMs === undefined → false",
    because: "equivalent: a field that is undefined is none",
  },
  {
    file: "src/engines/embedded/turning.ts",
    code: "const policy = windowOf(step, conversation, newer.at(-1)?.channel);",
    change: "1 → 2",
    because: "timing only: which of two channels' windows a restart waits for",
  },
  {
    file: "src/engines/embedded/inspecting.ts",
    code: "const { dead, unknown, quarantined = 0 } = tables.counts(nowMs);",
    change: "0 → 1",
    because: "equivalent: every store of tables counts what it set aside",
  },
];

export function reasonFor({ file, code, change }: Mutant): string | undefined {
  return EXPLAINED.find((each) => each.file === file && each.code === code && each.change === change)
    ?.because;
}
