import { isPassedOn } from "../core/addressee.ts";
import { DIED } from "../core/dead-letters.ts";
import { type DraftAction, dropPending, nextDraftAction, withChunk } from "../core/draft.ts";
import { effectsOf } from "../core/reply.ts";
import { backoffByAgeMs, failingSinceAtMs } from "../core/retry.ts";
import { LullError } from "../errors.ts";
import type { Draft } from "../model/draft.ts";
import { readdressed, sending } from "./drafting.ts";
import { assumed, isNotice } from "./notice.ts";
import { passedOn } from "./passed-on.ts";
import { persist } from "./persist.ts";
import { type Heard, reconcile, send } from "./provider-calls.ts";
import { aboutTurn, commit, fail, lose, release, whoseTurn, worded } from "./turn-end.ts";
import type { TurnEnd, TurnRun } from "./turn-run.ts";

/**
 * SEND and COMMIT: chunk by chunk, each `sending` written down before its first byte. `isFresh`: this very
 * run wrote it of the first chunk, so it is ours to send, not the unknown send of an earlier holder.
 */
export async function deliver(
  run: TurnRun,
  draft: Draft,
  { isFresh }: { isFresh: boolean },
): Promise<TurnEnd> {
  let delivery: Delivery = { draft, isMine: isFresh, isRepeat: false };
  for (;;) {
    const { draft: current } = delivery;
    const action = nextDraftAction(current, run.settings);
    // Only this process knows yet what was sent. If that cannot be written, the failure carries the draft
    // along.
    const failed = (error: unknown) => fail(run, error, current);
    if (action.kind === "done") return finish(run, current).catch(failed);
    const next = await takeAction(run, delivery, action).catch(async (error) => end(await failed(error)));
    if (next.kind === "end") return next.end;
    const isRepeat = next.isRepeat ?? (action.kind === "send" && delivery.isRepeat);
    delivery = { draft: next.draft, isMine: action.kind === "send", isRepeat };
  }
}

interface Delivery {
  readonly draft: Draft;
  /** This very run wrote the next chunk as `sending`. */
  readonly isMine: boolean;
  /** `onUnknown: "resend"`: the next chunk may have been sent before. */
  readonly isRepeat: boolean;
}

type ToDo = Exclude<DraftAction, { kind: "done" }>;
type Asking = Extract<ToDo, { kind: "ask" }>;
type Next =
  | { readonly kind: "draft"; readonly draft: Draft; readonly isRepeat?: true }
  | { readonly kind: "end"; readonly end: TurnEnd };

const continueWith = (draft: Draft) => ({ kind: "draft", draft }) as const;
const end = (turnEnd: TurnEnd): Next => ({ kind: "end", end: turnEnd });

async function takeAction(run: TurnRun, delivery: Delivery, action: ToDo): Promise<Next> {
  const { draft } = delivery;
  if (delivery.isMine && action.kind === "ask") return sendChunk(run, delivery, action.chunk);
  // What was sent stays sent; the next holder of the lease continues behind it.
  if (run.stopping.aborted) return end(await wait(run, draft, 0));
  if (action.kind === "ask") return askAboutChunk(run, draft, action);
  if (run.taken.counted > run.settings.attemptsMax) return end(await giveUp(run, draft));
  // The chunk before it is written as sent in the same action.
  return writeSending(run, draft, action.chunk);
}

function wait(run: TurnRun, draft: Draft, afterMs: number): Promise<TurnEnd> {
  return release(run, { kind: "wait", afterMs, draft });
}

/**
 * The turn was taken beyond its last attempt only to find out what was sent. What was not sent stays unsent,
 * and becomes a dead letter for a person.
 */
function giveUp(run: TurnRun, draft: Draft): Promise<TurnEnd> {
  return release(run, { kind: "dead-letter", reason: DIED, draft });
}

async function writeSending(run: TurnRun, draft: Draft, chunk: number): Promise<Next> {
  if (isPassedOn(run.taken)) return end(await fail(run, passedOn(), draft));
  const next = sending(run, readdressed(run, draft), chunk);
  const written = await persist(run, () => run.engine.turns.writeChunks(run.heartbeat.lease(), next));
  if (written.kind === "lost") return end(lose(run));
  if (written.kind === "handed-off") return end(await commitDraft(run, dropPending(draft), "handed-off"));
  run.heartbeat.renewed(written.lease);
  return continueWith(written.draft);
}

async function sendChunk(run: TurnRun, delivery: Delivery, chunk: number): Promise<Next> {
  if (run.heartbeat.lost.aborted) return end(lose(run));
  const { draft } = delivery;
  const outcome = await send(run, draft, chunk);
  const { clock, log } = run;
  switch (outcome.kind) {
    case "sent":
      return continueWith(
        withChunk(draft, chunk, { kind: "sent", providerId: outcome.providerId, atMs: clock.nowMs() }),
      );
    case "not-sent": {
      const { retry, retryAfterMs, why, credentials } = outcome;
      const error = new LullError(why, {
        code: "NOT_SENT",
        retry,
        ...(credentials && { credentials }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      return end(await fail(run, error, withChunk(draft, chunk, { kind: "pending" })));
    }
    case "unknown":
      if (isNotice(run)) return continueWith(assumed(run, draft, chunk));
      log("warn", "send.in-doubt", { ...aboutTurn(run.taken), chunk, reason: toldIn(run, draft, outcome) });
      return end(await comeBackToAsk(run, delivery, chunk, outcome));
  }
}

/**
 * Our request is over, earlier or later than planned, so its settle time begins now. The next look asks the
 * provider what became of it.
 */
function comeBackToAsk(
  run: TurnRun,
  { draft, isRepeat }: Delivery,
  chunk: number,
  outcome: InDoubt,
): Promise<TurnEnd> {
  const nowMs = run.clock.nowMs();
  const given = {
    kind: "retry",
    afterMs: run.settings.backoffMs,
    reason: `SEND_UNKNOWN: ${outcome.why}`,
    draft: withChunk(draft, chunk, { kind: "sending", sendByAtMs: nowMs }),
    // A repeat that the customer may see each time is limited by count.
    ...(!isRepeat && { outageSinceAtMs: outageSinceAtMs(run, draft) }),
  } as const;
  return release(run, given, `SEND_UNKNOWN: ${toldIn(run, draft, outcome)}`);
}

type InDoubt = Heard<{ readonly why: string }>;

function toldIn(run: TurnRun, draft: Draft, { told, why }: InDoubt): string {
  return told ?? worded(run, why, draft);
}

/** Since when sending has failed. Failures from before the answer existed do not count. */
function outageSinceAtMs({ taken, clock }: TurnRun, { draftedAtMs }: Draft): number {
  return failingSinceAtMs({ failingSinceAtMs: taken.failingSinceAtMs, draftedAtMs }, clock.nowMs());
}

/** A chunk that was left `sending`: the channel is asked before anything is sent again. */
async function askAboutChunk(run: TurnRun, draft: Draft, { chunk, settledAtMs }: Asking): Promise<Next> {
  const { log, clock } = run;
  if (isNotice(run)) return continueWith(assumed(run, draft, chunk));
  // When the question was asked, not when its answer came: what was accepted in between is not in it.
  const nowMs = clock.nowMs();
  const found = await reconcile(run, draft, chunk);
  const why = found.kind === "cannot-tell" ? { reason: toldIn(run, draft, found) } : {};
  log("info", "send.reconciled", { ...aboutTurn(run.taken), chunk, result: found.kind, ...why });
  if (found.kind === "sent")
    return continueWith(withChunk(draft, chunk, { kind: "sent", providerId: found.providerId, atMs: nowMs }));
  // Not found, or the channel cannot tell: the request may still be inside the provider.
  if (nowMs < settledAtMs) return askAgain(run, draft, chunk, settledAtMs);
  if (found.kind === "not-sent") return sendAgain(run, withChunk(draft, chunk, { kind: "pending" }));
  const ageMs = nowMs - settledAtMs;
  if (found.retry === "never" || ageMs >= run.settings.retryForMs) return decideUnknown(run, draft, chunk);
  const afterMs = backoffByAgeMs(ageMs, run.settings, run.random);
  const reason = `SEND_UNKNOWN: ${found.why}`;
  const given = {
    kind: "retry",
    afterMs,
    reason,
    outageSinceAtMs: outageSinceAtMs(run, draft),
    draft,
  } as const;
  return end(await release(run, given, `SEND_UNKNOWN: ${toldIn(run, draft, found)}`));
}

/** It was certainly not sent, so sending is safe, unless the provider has accepted nothing for too long. */
async function sendAgain(run: TurnRun, draft: Draft): Promise<Next> {
  const ageMs = run.clock.nowMs() - outageSinceAtMs(run, draft);
  if (ageMs < run.settings.retryForMs) return continueWith(draft);
  const why = `no send has been confirmed for ${Math.round(ageMs / 1_000)} s`;
  return end(await fail(run, new LullError(why, { code: "NOT_SENT", retry: "later" }), draft));
}

/**
 * The wait doubles with the time in doubt, and ends no earlier than the send has settled. A channel that
 * cannot be asked is asked only then.
 */
async function askAgain(run: TurnRun, draft: Draft, chunk: number, settledAtMs: number): Promise<Next> {
  const { channels, clock, settings } = run;
  const { state } = draft.chunks[chunk]!;
  const nowMs = clock.nowMs();
  const untilSettledMs = Math.max(0, settledAtMs - nowMs);
  const canAsk = channels[draft.channel]?.reconcile !== undefined && state.kind === "sending";
  const soonMs = canAsk ? Math.max(settings.backoffMs, nowMs - state.sendByAtMs) : untilSettledMs;
  return end(await wait(run, draft, Math.min(soonMs, untilSettledMs)));
}

/** `onUnknown`: hold it for a person, send it again, or take it for sent. */
async function decideUnknown(run: TurnRun, draft: Draft, chunk: number): Promise<Next> {
  switch (run.own.onUnknown) {
    case "resend":
      if (run.taken.counted >= run.settings.attemptsMax) return held(run, draft);
      return { ...continueWith(withChunk(draft, chunk, { kind: "pending" })), isRepeat: true };
    case "assume-sent":
      return continueWith(
        withChunk(draft, chunk, { kind: "sent", providerId: "assumed", atMs: run.clock.nowMs() }),
      );
    case "hold":
      return held(run, draft);
  }
}

/** The conversation goes on; what may not have been said is listed for a person, the chunks behind it too. */
async function held(run: TurnRun, draft: Draft): Promise<Next> {
  const chunks = draft.chunks.map((chunk) =>
    chunk.state.kind === "sent" ? chunk : { ...chunk, state: { kind: "unknown" } as const },
  );
  run.log("error", "send.unknown", { ...aboutTurn(run.taken), ...whoseTurn(run) });
  return end(await commitDraft(run, { ...draft, chunks }, "unknown"));
}

function finish(run: TurnRun, draft: Draft): Promise<TurnEnd> {
  return commitDraft(run, draft, draft.handOff === undefined ? "replied" : "handed-off");
}

function commitDraft(
  run: TurnRun,
  draft: Draft,
  outcome: "replied" | "handed-off" | "unknown",
): Promise<TurnEnd> {
  const { answerStartedAtMs, draftedAtMs } = draft;
  const said = draft.chunks.length === 0 ? ("no-reply" as const) : outcome;
  return commit(run, {
    outcome: said,
    draft,
    ...effectsOf(draft),
    answerStartedAtMs,
    answeredAtMs: draftedAtMs,
    sentAtMs: run.clock.nowMs(),
  });
}
