import { dropPending, nextDraftStep, withChunk } from "../core/draft.ts";
import { LullError } from "../errors.ts";
import type { ReconcileOutcome, SendOutcome } from "../ports/channel.ts";
import type { Draft } from "../ports/draft.ts";
import { sending } from "./drafting.ts";
import { persist } from "./persist.ts";
import { commit, fail, giveBack, lose } from "./turn-end.ts";
import type { TurnEnd, TurnRun } from "./turn-run.ts";

/**
 * How far the provider's clock may be behind ours. Without it a clock that is a second fast would not recognise what it sent, and send
 * it again; texts of earlier turns are told apart by their recorded ids.
 */
const PROVIDER_SKEW_MS = 5_000;

/** A reason of our own: without one, every abort makes an error with its stack that nobody reads. */
const OVER = "over";

/**
 * SEND and COMMIT: chunk by chunk, each `sending` written down before its first byte.
 * `isFresh`: this very run marked the first chunk, so it is ours to send and not somebody's unknown.
 */
export async function deliver(
  run: TurnRun,
  draft: Draft,
  { isFresh }: { isFresh: boolean },
): Promise<TurnEnd> {
  let current = draft;
  let isMine = isFresh;
  for (;;) {
    const step = nextDraftStep(current, run.settings, run.taken.previousHolderDeadAtMs);
    if (step.kind === "done") return finish(run, current);
    if (step.kind === "send") {
      // What was said stays said; whoever takes the conversation next goes on behind it.
      if (run.stopping.aborted)
        return giveBack(run, { kind: "wait", untilAtMs: run.clock.nowMs(), draft: current });
      // The chunk before it is written as sent in the same step.
      const marked = await markSending(run, current, step.chunk);
      if (marked.kind === "end") return marked.end;
      current = marked.draft;
      isMine = true;
      continue;
    }
    const next = isMine
      ? await sendChunk(run, current, step.chunk)
      : await settleChunk(run, current, step.chunk);
    if (next.kind === "end") return next.end;
    current = next.draft;
    isMine = false;
  }
}

type Next =
  | { readonly kind: "draft"; readonly draft: Draft }
  | { readonly kind: "end"; readonly end: TurnEnd };

const goOn = (draft: Draft): Next => ({ kind: "draft", draft });
const end = (turnEnd: TurnEnd): Next => ({ kind: "end", end: turnEnd });

async function markSending(run: TurnRun, draft: Draft, chunk: number): Promise<Next> {
  const next = sending(run, draft, chunk);
  const marked = await persist(run, () => run.engine.turns.mark(run.heartbeat.lease(), next));
  if (marked.kind === "lost") return end(lose(run));
  if (marked.kind === "handed-off") return end(await commitDraft(run, dropPending(draft), "handed-off"));
  run.heartbeat.renewed(marked.lease);
  return goOn(next);
}

async function sendChunk(run: TurnRun, draft: Draft, chunk: number): Promise<Next> {
  if (run.heartbeat.lost.aborted) return end(lose(run));
  const outcome = await send(run, draft, chunk);
  const { clock, log, taken } = run;
  const state = draft.chunks[chunk]!.state;
  if (state.kind === "sending" && outcome.kind === "sent" && clock.nowMs() > state.sendByAtMs) {
    log("warn", "send.late", { turn: taken.turnId, chunk });
  }
  switch (outcome.kind) {
    case "sent":
      return goOn(
        withChunk(draft, chunk, { kind: "sent", providerId: outcome.providerId, atMs: clock.nowMs() }),
      );
    case "not-sent": {
      const { retry, retryAfterMs, why } = outcome;
      const error = new LullError(why, {
        code: "NOT_SENT",
        retry,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      return end(await fail(run, error, withChunk(draft, chunk, { kind: "pending" })));
    }
    case "unknown":
      log("warn", "send.unknown", { turn: taken.turnId, chunk, reason: outcome.why });
      return comeBack(run, draft, chunk, outcome.why);
  }
}

/** Nobody told whether it went out. Ask when it had time to settle; when the attempts are used up, a person decides. */
async function comeBack(run: TurnRun, draft: Draft, chunk: number, why: string): Promise<Next> {
  const { settings, taken, clock } = run;
  if (taken.attempt >= settings.attemptsMax) return decideUnknown(run, draft, chunk, { mayResend: false });
  const state = draft.chunks[chunk]!.state;
  const from = state.kind === "sending" ? state.sendByAtMs : clock.nowMs();
  const notBeforeAtMs = Math.max(from + settings.settleMs, clock.nowMs());
  return end(await giveBack(run, { kind: "retry", notBeforeAtMs, reason: `SEND_UNKNOWN: ${why}`, draft }));
}

/** A chunk that somebody else left `sending`: the channel is asked before anything is sent again. */
async function settleChunk(run: TurnRun, draft: Draft, chunk: number): Promise<Next> {
  const found = await reconcile(run, draft, chunk);
  const { log, taken, clock } = run;
  log("info", "send.reconciled", { turn: taken.turnId, chunk, result: found.kind });
  switch (found.kind) {
    case "sent":
      return goOn(
        withChunk(draft, chunk, { kind: "sent", providerId: found.providerId, atMs: clock.nowMs() }),
      );
    case "not-sent":
      return goOn(withChunk(draft, chunk, { kind: "pending" }));
    case "cannot-tell":
      return canAskAgain(run, draft)
        ? comeBack(run, draft, chunk, found.why)
        : decideUnknown(run, draft, chunk, { mayResend: true });
  }
}

function canAskAgain({ channels, taken, settings }: TurnRun, { channel }: Draft): boolean {
  return channels[channel]?.reconcile !== undefined && taken.attempt < settings.attemptsMax;
}

/** `onUnknown`: hold it for a person, send it again, or take it for sent. */
async function decideUnknown(
  run: TurnRun,
  draft: Draft,
  chunk: number,
  { mayResend }: { mayResend: boolean },
): Promise<Next> {
  switch (run.settings.onUnknown) {
    case "resend":
      return mayResend ? goOn(withChunk(draft, chunk, { kind: "pending" })) : held(run, draft);
    case "assume-sent":
      return goOn(withChunk(draft, chunk, { kind: "sent", providerId: "assumed", atMs: run.clock.nowMs() }));
    case "hold":
      return held(run, draft);
  }
}

/** The conversation goes on; what may not have been said is listed for a person, the chunks behind it too. */
async function held(run: TurnRun, draft: Draft): Promise<Next> {
  const chunks = draft.chunks.map((chunk) =>
    chunk.state.kind === "sent" ? chunk : { ...chunk, state: { kind: "unknown" } as const },
  );
  return end(await commitDraft(run, { ...draft, chunks }, "unknown"));
}

async function send(run: TurnRun, draft: Draft, chunk: number): Promise<SendOutcome> {
  const channel = run.channels[draft.channel];
  if (!channel) return { kind: "not-sent", retry: "never", why: `there is no channel ${draft.channel}` };
  const state = draft.chunks[chunk]!.state;
  const byAtMs = state.kind === "sending" ? state.sendByAtMs : run.clock.nowMs();
  return withDeadline(run, byAtMs, (signal) => channel.send(outgoing(run, draft, chunk), signal)).catch(
    (error): SendOutcome => ({ kind: "unknown", why: String(error) }),
  );
}

async function reconcile(run: TurnRun, draft: Draft, chunk: number): Promise<ReconcileOutcome> {
  const channel = run.channels[draft.channel];
  if (!channel?.reconcile) return { kind: "cannot-tell", why: "the channel cannot be asked" };
  const byAtMs = run.clock.nowMs() + run.settings.sendTimeoutMs;
  const ofThisTurn = draft.chunks.flatMap(({ state }) => (state.kind === "sent" ? [state.providerId] : []));
  const query = {
    ...outgoing(run, draft, chunk),
    notBeforeAtMs: draft.draftedAtMs - PROVIDER_SKEW_MS,
    excludeProviderIds: [...run.taken.recentProviderIds, ...ofThisTurn],
  };
  return withDeadline(run, byAtMs, (signal) => channel.reconcile!(query, signal)).catch(
    (error): ReconcileOutcome => ({ kind: "cannot-tell", why: String(error) }),
  );
}

/** Past its deadline a request is aborted, and not waited for any longer either: a channel may not listen to its signal. */
async function withDeadline<T>(
  run: TurnRun,
  byAtMs: number,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, heartbeat } = run;
  // Frozen since the chunk was marked: another holder may be sending it by now.
  if (clock.nowMs() >= byAtMs) throw new Error("its time was over before it began");
  const aborting = new AbortController();
  const over = new AbortController();
  const stopWaiting = () => over.abort(OVER);
  heartbeat.lost.addEventListener("abort", stopWaiting);
  let isAnswered = false;
  const ended = clock.sleep(byAtMs - clock.nowMs(), over.signal).then(() => {
    if (isAnswered) return new Promise<never>(() => {});
    aborting.abort();
    throw new Error("no word from the provider in time");
  });
  try {
    return await Promise.race([request(aborting.signal), ended]);
  } finally {
    isAnswered = true;
    heartbeat.lost.removeEventListener("abort", stopWaiting);
    over.abort(OVER);
  }
}

function outgoing(run: TurnRun, draft: Draft, chunk: number) {
  const { text, media } = draft.chunks[chunk]!;
  const { to, from, turnId } = draft;
  const reference = { turnId, chunk };
  return { to, from, text, ...(media && { media }), reference, conversationId: run.taken.conversation.id };
}

function finish(run: TurnRun, draft: Draft): Promise<TurnEnd> {
  return commitDraft(run, draft, draft.handOff === undefined ? "replied" : "handed-off");
}

function commitDraft(
  run: TurnRun,
  draft: Draft,
  outcome: "replied" | "handed-off" | "unknown",
): Promise<TurnEnd> {
  const { usage, complete, handOff, answerStartedAtMs, draftedAtMs } = draft;
  const said = draft.chunks.length === 0 ? ("no-reply" as const) : outcome;
  return commit(run, {
    outcome: said,
    draft,
    ...(usage && { usage }),
    ...(complete !== undefined && { complete }),
    ...(handOff !== undefined && { handOff }),
    answerStartedAtMs,
    answeredAtMs: draftedAtMs,
    sentAtMs: run.clock.nowMs(),
  });
}
