import type { Mutant } from "./mutants.ts";

/** A mutant that may survive, and why. Found by its text, wherever its line moves. */
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
    file: "src/engines/embedded/steps/look.ts",
    code: "messages <= settings.batchMessagesMax && bytes <= settings.batchBytesMax;",
    change: "bytes <= settings.batchBytesMax → bytes < settings.batchBytesMax",
    because: "equivalent: both ways of reading take the same, and at the limit all is taken",
  },
  {
    file: "src/core/staged.ts",
    code: "return sentAtMs === undefined ? item : { ...item, sentAtMs };",
    change: "sentAtMs === undefined → false",
    because: "equivalent: a time that is undefined is none",
  },
  {
    file: "src/core/staged.ts",
    code:
      "return { kind, id, arrivedAtMs: row.outbound.arrivedAtMs, position: 0, " +
      "sequence: row.sequence, bytes };",
    change: "0 → 1",
    because: "equivalent: an outbound is not compared with anything",
  },
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
    file: "src/wire/outage.ts",
    code: "if (!isObject(from)) return undefined;",
    change: "!isObject(from) → false",
    because:
      "equivalent: what is no object has none of the fields asked for, and reading from nothing is caught",
  },
  {
    file: "src/wire/queue-url.ts",
    code: 'return REGION.exec(URL.parse(queueUrl)?.host ?? "")?.[1];',
    change: 'URL.parse(queueUrl)?.host ?? "" → URL.parse(queueUrl)?.host',
    because: "equivalent: the pattern finds no region in the word undefined either",
  },
  {
    file: "src/core/reply.ts",
    code: 'const isCount = typeof count === "number" && count >= 0 && ' + "count <= Number.MAX_SAFE_INTEGER;",
    change: "0 → 1",
    because: "equivalent: no tokens are 0 tokens either way",
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
    file: "src/engines/embedded/steps/conversations.ts",
    code: "if (after && goesOn(given) && context.tables.staged.count(id) > 0) wakeNow(context, id);",
    change: "after && goesOn(given) && context.tables.staged.count(id) > 0 → true",
    because: "only a look more, that finds nothing due",
  },
  {
    file: "src/engines/embedded/steps/conversations.ts",
    code: "if (after && goesOn(given) && context.tables.staged.count(id) > 0) wakeNow(context, id);",
    change: "context.tables.staged.count(id) > 0 → context.tables.staged.count(id) >= 0",
    because: "only a look more, that finds nothing due",
  },
  {
    file: "src/engines/embedded/steps/find-conversation.ts",
    code: "if (named !== conversation) context.tables.conversations.put(named);",
    change: "named !== conversation → true",
    because: "only a write more, of the same record",
  },
  {
    file: "src/core/window.ts",
    code: "const ofChannel = channel === undefined ? undefined : channels[channel]?.window;",
    change: "channel === undefined → false",
    because: "equivalent: no channel is called undefined",
  },
  {
    file: "src/engines/embedded/steps/clock.ts",
    code: "const byMs = Math.max(0, (note?.latestAtMs ?? nowMs) - nowMs);",
    change: "0 → 1",
    because: "equivalent: what is compared with it is 15 s at least",
  },
  {
    file: "src/engines/embedded/steps/clock.ts",
    code: "if (awake !== state) saveState(context, id, awake);",
    change: "awake !== state → true",
    because: "only a write more, of the same state",
  },
  {
    file: "src/engines/embedded/steps/sweep.ts",
    code: "const made = state.lease ? undefined : windowAt(undefined, context.newId(), due);",
    change: "state.lease → false",
    because: "only a look more: under a lease it finds that a worker is at work",
  },
  {
    file: "src/engines/embedded/steps/take.ts",
    code: 'const recent = what === "draft" ? context.tables.history.sent(work.recordId, RECENT_TURNS) : [];',
    change: 'what === "draft" → true',
    because: "only a read more: a worker that continues no draft asks no provider",
  },
  {
    file: "src/engines/embedded/steps/release.ts",
    code: "const made = isLeft ? windowAt(undefined, context.newId(), context.nowMs) : undefined;",
    change: "isLeft → true",
    because: "only a look more, that finds nothing staged",
  },
  {
    file: "src/runtime/ask.ts",
    code: 'ended.abort(asked.kind === "answered" ? "answered" : undefined);',
    change: 'asked.kind === "answered" → true',
    because: "only the reason of an abort, which spares a stack that is never read",
  },
  {
    file: "src/runtime/ask.ts",
    code: 'ended.abort(asked.kind === "answered" ? "answered" : undefined);',
    change: 'asked.kind === "answered" → false',
    because: "only the reason of an abort, which spares a stack that is never read",
  },
  {
    file: "src/runtime/ask.ts",
    code: 'ended.abort(asked.kind === "answered" ? "answered" : undefined);',
    change: 'asked.kind === "answered" → asked.kind !== "answered"',
    because: "only the reason of an abort, which spares a stack that is never read",
  },
  {
    file: "src/runtime/ask.ts",
    code: "const message = `the responder gave no answer within ${answerTimeoutMs / 1_000} s`;",
    change: "answerTimeoutMs / 1_000 → answerTimeoutMs * 1_000",
    because: "words for people",
  },
  {
    file: "src/runtime/ask.ts",
    code: "const message = `the responder gave no answer within ${answerTimeoutMs / 1_000} s`;",
    change: "1_000 → 1001",
    because: "words for people",
  },
  {
    file: "src/runtime/say.ts",
    code: "if ((lock?.staged ?? 0) >= own.stagedMessagesMax) throw full(own.stagedMessagesMax);",
    change: "lock?.staged ?? 0 → lock?.staged",
    because: "equivalent: undefined is not as many either",
  },
  {
    file: "src/runtime/say.ts",
    code: "if ((lock?.staged ?? 0) >= own.stagedMessagesMax) throw full(own.stagedMessagesMax);",
    change: "0 → 1",
    because: "equivalent unless one message may wait, where nothing waits",
  },
  {
    file: "src/runtime/late-answer.ts",
    code: "...(media.length > 0 && { media }),",
    change: "media.length > 0 → media.length >= 0",
    because: "equivalent: a list of no media is none",
  },
  {
    file: "src/runtime/say.ts",
    code: "const FULL_RETRY_MS = 60_000;",
    change: "60_000 → 60001",
    because: "a guess at when to come back, not a promise",
  },
  {
    file: "src/runtime/deliver.ts",
    code: 'const continueWith = (draft: Draft) => ({ kind: "draft", draft }) as const;',
    change: '"draft" → "other"',
    because: "equivalent: only the end of a turn is asked for by its kind",
  },
  {
    file: "src/runtime/deliver.ts",
    code: 'const canAsk = channels[draft.channel]?.reconcile !== undefined && state.kind === "sending";',
    change:
      'channels[draft.channel]?.reconcile !== undefined && state.kind === "sending" ' +
      '→ channels[draft.channel]?.reconcile !== undefined || state.kind === "sending"',
    because: "timing only: a channel that cannot be asked is looked at sooner, and settles no sooner",
  },
  {
    file: "src/runtime/sender-limit.ts",
    code: "const passedMs = Math.max(0, nowMs - before.atMs);",
    change: "0 → 1",
    because: "timing only: a millisecond",
  },
  {
    file: "src/runtime/arrivals.ts",
    code: "textMax: channel.textLengthMax ?? Number.POSITIVE_INFINITY,",
    change: "channel.textLengthMax ?? Number.POSITIVE_INFINITY → channel.textLengthMax",
    because: "equivalent: no length is longer than no number",
  },
  {
    file: "src/runtime/create-conversation.ts",
    code: "const known = names.flatMap((name) => channels[name]?.addresses ?? []);",
    change: "channels[name]?.addresses ?? [] → channels[name]?.addresses",
    because: "equivalent: a channel that names no address may bring every one, and is not asked here",
  },
  {
    file: "src/runtime/drafting.ts",
    code: 'if (read.kind === "sound") return draft;',
    change: 'read.kind === "sound" → true',
    because: "defence in depth: replies, outbounds and messages were each read by their shape before",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "const textMax = run.channels[empty.channel]?.textMax ?? Number.POSITIVE_INFINITY;",
    change:
      "run.channels[empty.channel]?.textMax ?? Number.POSITIVE_INFINITY → " +
      "run.channels[empty.channel]?.textMax",
    because: "equivalent: no length is longer than no number",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "return draft.chunks.length === 0 ? draft : sending(run, draft, 0);",
    change: "draft.chunks.length === 0 → draft.chunks.length !== 0",
    because: "only a write more: a chunk that is not written with the draft is written before it is sent",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "return draft.chunks.length === 0 ? draft : sending(run, draft, 0);",
    change: "draft.chunks.length === 0 → false",
    because: "equivalent: without a chunk there is none to write",
  },
  {
    file: "src/runtime/drafting.ts",
    code: "return draft.chunks.length === 0 ? draft : sending(run, draft, 0);",
    change: "0 → 1",
    because: "only a write more: a chunk that is not written with the draft is written before it is sent",
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
    change:
      "database.exec( `PRAGMA synchronous = ${options.synchronous}; " + "PRAGMA temp_store = memory... → ;",
    because:
      "SQLite's own default is full, and durability.test.ts looks at what the connection says; " +
      "the rest is speed",
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
    file: "src/runtime/take-in.ts",
    code: "if (requests.length === 0) return summary;",
    change: "requests.length === 0 → false",
    because: "equivalent: nothing is staged of no messages",
  },
  {
    file: "src/runtime/outcomes.ts",
    code: "if (conversationId !== undefined)",
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
    file: "src/runtime/run-turn.ts",
    code: "run.heartbeat.stop();",
    change: "run.heartbeat.stop(); → ;",
    because: "defence in depth: the end of a turn has stopped it; one that was lost ends at its next beat",
  },
  {
    file: "src/runtime/turn-end.ts",
    code: "heartbeat.stop();",
    change: "heartbeat.stop(); → ;",
    because:
      "defence in depth: run-turn stops it too, and a renewal that crosses a commit is refused by its token",
  },
  {
    file: "src/runtime/turn-end.ts",
    code: "heartbeat.stop();",
    change: "heartbeat.stop(); → ;",
    because:
      "defence in depth: run-turn stops it too, and a renewal that crosses a release " +
      "is refused by its token",
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
    file: "src/runtime/provider-calls.ts",
    code:
      'if (!channel?.reconcile) return { kind: "cannot-tell", ' +
      'why: "the channel cannot be asked", retry: "never" };',
    change: '"cannot-tell" → "other"',
    because: "equivalent: only what was found, or certainly was not, is asked for by name",
  },
  {
    file: "src/runtime/provider-calls.ts",
    code: ').catch((error): Heard<ReconcileOutcome> => ({ kind: "cannot-tell", ...heard(error) }));',
    change: '"cannot-tell" → "other"',
    because: "equivalent: only what was found, or certainly was not, is asked for by name",
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
    code: "#awaitsPlace = false;",
    change: "false → true",
    because: "equivalent: every look sets it before a turn can end",
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
    file: "src/engines/embedded/context.ts",
    code: "if (wakeAt !== undefined && !state.lease) context.armed(wakeAt);",
    change: "wakeAt !== undefined && !state.lease → wakeAt !== undefined || !state.lease",
    because: "only a look more, when a lease may have lapsed",
  },
  {
    file: "src/engines/embedded/steps/free-leases.ts",
    code: "if (ids.length > 0) context.armed(context.nowMs);",
    change: "ids.length > 0 → false",
    because: "timing only: the next poll finds what was freed",
  },
  {
    file: "src/engines/embedded/steps/free-leases.ts",
    code: "if (ids.length > 0) context.armed(context.nowMs);",
    change: "ids.length > 0 → ids.length >= 0",
    because: "only a look more",
  },
  {
    file: "src/engines/embedded/steps/free-leases.ts",
    code: "if (ids.length > 0) context.armed(context.nowMs);",
    change: "0 → 1",
    because: "timing only: the next poll finds what was freed",
  },
  {
    file: "src/engines/embedded/steps/take-due.ts",
    code: "return nextAtMs === undefined ? { outcomes } : { outcomes, nextAtMs };",
    change: "nextAtMs === undefined → false",
    because: "equivalent: a field that is undefined is none",
  },
  {
    file: "src/engines/sqlite/backup.ts",
    code: "const database = new DatabaseSync(source, { readOnly: true, timeout: 0 });",
    change: "0 → 1",
    because: "timing only: a millisecond",
  },
  {
    file: "src/engines/sqlite/shrink-log.ts",
    code: "const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;",
    change: "false → true",
    because:
      "defence in depth: without its log a file is lost already, and in memory there is no log to shrink",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "let length = 0;",
    change: "0 → 1",
    because: "a group's size, not a promise: what is left is the next group",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "return at >= GROUP_MAX || (at > 0 && length > GROUP_LENGTH_MAX);",
    change: "0 → 1",
    because: "a group's size, not a promise: what is left is the next group",
  },
  {
    file: "src/engines/sqlite/failure.ts",
    code: "return error instanceof Error ? error.message : String(error);",
    change: "error instanceof Error → true",
    because: "defence in depth: neither SQLite nor Node throws anything but errors",
  },
  {
    file: "src/engines/sqlite/open-file.ts",
    code: "const found = statSync(path, { bigint: true, throwIfNoEntry: false });",
    change: "true → false",
    because: "equivalent where no file's number is past 2^53; on some disks it is",
  },
  {
    file: "src/engines/sqlite/statements.ts",
    code: "this.#prepared.set(sql, ready);",
    change: "this.#prepared.set(sql, ready); → ;",
    because: "speed only: it is prepared anew each time",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "const QUEUE_LENGTH_MAX = 64_000_000;",
    change: "64_000_000 → 64000001",
    because: "a character of 64 million; the test at the limit counts in megabytes",
  },
  {
    file: "src/engines/sqlite/store.ts",
    code: 'if (name === "sweep") quarantine.removeUncountable();',
    change: 'name === "sweep" → true',
    because: "only a look more, at the end of each table",
  },
  {
    file: "src/engines/sqlite/store.ts",
    code: "if (mayReopen) this.#look();",
    change: "mayReopen → true",
    because: "only a look more: there is one behind every group",
  },
  {
    file: "src/engines/embedded/steps/receive.ts",
    code: "const message = { ...arrival, id, sequence: 0 };",
    change: "0 → 1",
    because: "equivalent: tables number what they stage",
  },
  {
    file: "src/engines/sqlite/session.ts",
    code: 'if (Object.values(found ?? {})[0] !== "ok")',
    change: "found ?? {} → found",
    because: "equivalent: the check always has an answer",
  },
  {
    file: "src/engines/sqlite/conversation-rows.ts",
    code: 'const mended = mendedConversation(stored.kind === "sound" ? stored.value : undefined, fresh);',
    change: 'stored.kind === "sound" → true',
    because: "equivalent: what cannot be parsed has no value",
  },
  {
    file: "src/engines/sqlite/expiry.ts",
    code: "...(Number.isFinite(keepAfterMs) ? kept : []),",
    change: "Number.isFinite(keepAfterMs) → true",
    because: "equivalent: nothing is older than -Infinity, so both statements remove nothing",
  },
  {
    file: "src/engines/sqlite/rows.ts",
    code: "const next = isCut && rows.length > 0 ? rows.at(-1)?.number : last;",
    change: "rows.length > 0 → rows.length >= 0",
    because: "defence in depth: for rows that go between the look at their sizes and the read",
  },
  {
    file: "src/engines/sqlite/shrink-log.ts",
    code: 'if (log === checkpointed) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");',
    change: "log === checkpointed → true",
    because: "only a try more: the caller that stopped the first one stops it, too",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "#queuedLength = 0;",
    change: "0 → 1",
    because: "a character of 64 million; the test at the limit counts in megabytes",
  },
  {
    file: "src/engines/sqlite/store-client.ts",
    code: "if (this.#flushing) return;",
    change: "this.#flushing → false",
    because: "only a look more at a queue that is empty by then",
  },
  {
    file: "src/engines/sqlite/store.ts",
    code: "this.#noteDamage(error);",
    change: "this.#noteDamage(error); → ;",
    because: "defence in depth: a reader of the damaged page notes it, too",
  },
  {
    file: "src/engines/sqlite/shrink-log.ts",
    code: "const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;",
    change:
      "statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0 " +
      "→ statSync(`${file}-wal`, { throwIfNoEntry: false })?.size",
    because: "only a checkpoint more, where there is no log",
  },
  {
    file: "src/engines/embedded/steps/receive.ts",
    code: "if (!window && !lease) arm(context, conversationId, dueIn(context, conversationId));",
    change: "!window && !lease → !window || !lease",
    because: "only a look more, that finds nothing due",
  },
  {
    file: "src/engines/embedded/steps/conversations.ts",
    code: "if (!paused) context.armed(context.nowMs);",
    change: "!paused → true",
    because: "only a look more, that a pause sends away",
  },
  {
    file: "src/engines/embedded/steps/turn.ts",
    code: "return context.tables.conversations.get(workUnder(state).recordId)?.handedOff ?? false;",
    change:
      "context.tables.conversations.get(workUnder(state).recordId)?.handedOff ?? false → " +
      "context.tables.conversations.get(workUnder(state).recordId)?.handedOff",
    because: "equivalent: undefined is no hand-off either",
  },
  {
    file: "src/core/running-turn.ts",
    code: "if (!work) throw new Error(`lease of turn ${turnId} has no work`);",
    change: "!work → false",
    because: "only the words of an error that is told either way",
  },
  {
    file: "src/engines/aws/steps/commit.ts",
    code: "for (let tries = 0; ; tries += 1) {",
    change: "1 → 2",
    because: "equivalent: a number that makes each try's token another one",
  },
  {
    file: "src/engines/aws/steps/full-conversation.ts",
    code: "rows.push(...own.map(({ bytes }) => ({ bytes: Number(bytes) || 0 })));",
    change: "0 → 1",
    because: "a byte for a row that does not say how many it has, of a pile of megabytes",
  },
  {
    file: "src/engines/aws/steps/history.ts",
    code: "const SIDES = 2;",
    change: "2 → 3",
    because: "only a request more, where the first page is too short",
  },
  {
    file: "src/engines/aws/steps/history.ts",
    code: "const PAGE_ITEMS_MAX = 100;",
    change: "100 → 101",
    because: "the size of a page, not a promise",
  },
  {
    file: "src/engines/aws/steps/history.ts",
    code: "latestTurns(context, id, { messagesMax, turnsMax: 0, bytesMax }),",
    change: "0 → 1",
    because: "equivalent: the first page has an item anyway",
  },
  {
    file: "src/engines/aws/steps/history.ts",
    code: "} while (from && lacking(1) > 0 && fitting(sizes, bytesMax) === sizes.length);",
    change: "1 → 2",
    because: "equivalent: half of what is lacking, rounded up, is lacking, too",
  },
  {
    file: "src/engines/aws/items/staged.ts",
    code: "const limit = known.size + 1;",
    change: "1 → 2",
    because: "only a row more is read",
  },
  {
    file: "src/engines/aws/items/staged.ts",
    code: "let bytes = 0;",
    change: "0 → 1",
    because: "a byte of a megabyte",
  },
  {
    file: "src/engines/aws/steps/left-behind.ts",
    code: "return items.length === 0 ? undefined : { items, newest: place, newestChannel, seenAtMs };",
    change: "items.length === 0 → false",
    because:
      "equivalent: with nothing left the next look finds nothing either way; what came since has its window",
  },
  {
    file: "src/engines/aws/steps/left-behind.ts",
    code: "return items.length === 0 ? undefined : { items, newest: place, newestChannel, seenAtMs };",
    change: "0 → 1",
    because: "only a read more: of everything, for the last message that was left",
  },
  {
    file: "src/engines/aws/steps/look.ts",
    code: "conversationOf(context, stored.id, rows[0]?.sender || stored.sender),",
    change: "0 → 1",
    because: "equivalent: all rows of a conversation name the same place, and so does the state's row",
  },
  {
    file: "src/engines/aws/items/turn-item.ts",
    code: 'return { kind: "sound", value: withoutUndefined(value) };',
    change: '"sound" → "other"',
    because: "equivalent: a reader of a whole item asks each message only whether it is foreign",
  },
  {
    file: "src/engines/aws/items/turn-item.ts",
    code: "const isHeld = (messages: readonly HistoryMessage[]) => fits(itemOf(SAID, 0, saidIn(messages)));",
    change: "0 → 1",
    because: "equivalent: every place is as long as any other",
  },
  {
    file: "src/engines/aws/items/turn-item.ts",
    code: "const half = Math.ceil(parts.length / 2);",
    change: "ceil → floor",
    because: "equivalent: either half may be the larger, and neither is empty",
  },
  {
    file: "src/engines/aws/items/turn-item.ts",
    code: "const half = Math.ceil(parts.length / 2);",
    change: "2 → 3",
    because: "equivalent: neither part is empty, and what still does not fit is divided again",
  },
  {
    file: "src/engines/aws/context.ts",
    code: "const SENDERS_MAX = 100_000;",
    change: "100_000 → 100001",
    because: "the size of a cache, not a promise",
  },
  {
    file: "src/engines/aws/steps/window.ts",
    code: "conversationOf(context, id, rows[0]?.sender),",
    change: "0 → 1",
    because: "equivalent: all rows of a conversation name the same place, and without one it is looked up",
  },
  {
    file: "src/engines/aws/steps/take.ts",
    code: "channel: newest?.channel ?? stored.channel ?? DEFAULT_QUEUE,",
    change: "newest?.channel ?? stored.channel ?? DEFAULT_QUEUE → newest?.channel ?? stored.channel",
    because: "defence in depth: a conversation to come back to has rows or a turn, and both name a channel",
  },
  {
    file: "src/engines/aws/items/window-item.ts",
    code: "const KEEP_MS = 7 * 24 * 3_600_000;",
    change: "3_600_000 → 3600001",
    because: "how long a row may stand that no worker looks at, give or take a moment",
  },
  {
    file: "src/engines/aws/steps/window.ts",
    code: "return armedAtMs > aheadOfMs || (isSetBack && Math.max(wakeAtMs, atMs) > aheadOfMs);",
    change: "armedAtMs > aheadOfMs → armedAtMs >= aheadOfMs",
    because: "a millisecond of a guess at how far ahead a clock may honestly be",
  },
  {
    file: "src/engines/aws/steps/commit.ts",
    code: "for (let tries = 0; ; tries += 1) {",
    change: "0 → 1",
    because: "equivalent: a number that makes each try's token another one",
  },
  {
    file: "src/engines/aws/checks.ts",
    code: "const text = `${Math.round(offMs / 1_000)} s off AWS's`;",
    change: "1_000 → 1001",
    because: "words for people",
  },
  {
    file: "src/engines/sqlite/expiry.ts",
    code: "if (left <= 0) break;",
    change: "0 → 1",
    because: "timing only: a row that the next round removes",
  },
  {
    file: "src/engines/aws/steps/commit.ts",
    code: "const atMs = Math.max(Math.floor(turn.nowMs), stored.lastCommitAtMs + 1);",
    change: "floor → ceil",
    because: "equivalent: a whole millisecond either way",
  },
  {
    file: "src/engines/aws/steps/commit.ts",
    code: "const atMs = Math.max(Math.floor(turn.nowMs), stored.lastCommitAtMs + 1);",
    change: "1 → 2",
    because: "equivalent: later than the last one either way",
  },
  {
    file: "src/engines/aws/steps/full-conversation.ts",
    code: "const KEPT_MS = 24 * 3_600_000;",
    change: "24 → 25",
    because: "how long a note is kept that is not counted again, which is believed for a minute",
  },
  {
    file: "src/engines/aws/items/keys.ts",
    code: "const TURN_COUNTS = 64;",
    change: "64 → 65",
    because: "over how many items a count is spread; all of them are read",
  },
  {
    file: "src/engines/aws/dynamo/table-problems.ts",
    code: '.sort((a, b) => (a.KeyType === b.KeyType ? 0 : a.KeyType === "HASH" ? -1 : 1))',
    change: "1 → 2 (2)",
    because: "equivalent: sorting looks at the sign",
  },
  {
    file: "src/engines/aws/dynamo/table-problems.ts",
    code: '.sort((a, b) => (a.KeyType === b.KeyType ? 0 : a.KeyType === "HASH" ? -1 : 1))',
    change: "1 → 2",
    because: "equivalent: sorting looks at the sign",
  },
];

export function reasonFor({ file, code, change }: Mutant): string | undefined {
  return EXPLAINED.find((each) => each.file === file && each.code === code && each.change === change)
    ?.because;
}
