import { providerIdsOf } from "../core/draft.ts";
import { channelType } from "../core/identity.ts";
import { credentialsIdIn } from "../core/record-config.ts";
import { LullError, tellable, wordsOf } from "../errors.ts";
import type { Draft } from "../model/draft.ts";
import type { ReconcileOutcome, SendOutcome } from "../ports/channel.ts";
import type { TurnRun } from "./turn-run.ts";
import { waitFor, whenAborted } from "./wait-for.ts";

/**
 * How far a provider's clock may be behind ours where its channel cannot tell (the channels that ship compare
 * the clocks with every question). Without this allowance, a process whose clock is fast would not recognise
 * what it sent, and would send it again. Texts of earlier turns are told apart by their recorded ids.
 */
const PROVIDER_SKEW_MS = 120_000;

/**
 * A deadline that is noticed this much later was slept through: the process was frozen, and its request with
 * it.
 */
const FROZEN_MS_MIN = 1_000;

const GIVEN_UP = Symbol("given up");

/** `told`: what the log may say of it, where it is an error that a channel threw. */
export type Heard<T> = T & { readonly told?: string };

/**
 * Sends one chunk that is written as `sending`, until its deadline. An outcome that arrives later is logged
 * as `send.late`.
 */
export async function send(run: TurnRun, draft: Draft, chunk: number): Promise<Heard<SendOutcome>> {
  const channel = run.channels[draft.channel];
  if (!channel) return { kind: "not-sent", retry: "never", why: `there is no channel ${draft.channel}` };
  const { clock } = run;
  const state = draft.chunks[chunk]!.state;
  const byAtMs = state.kind === "sending" ? state.sendByAtMs : clock.nowMs();
  // Frozen since the chunk was written: another holder may be sending it by now. We have not begun, so we do
  // not.
  const startedAtMs = clock.nowMs();
  if (startedAtMs >= byAtMs)
    return { kind: "not-sent", retry: "later", why: "its time was over before it began" };
  const tellLate = (outcome: string) =>
    run.log("warn", "send.late", {
      turn: run.taken.turnId,
      chunk,
      outcome,
      lateMs: Math.max(0, clock.nowMs() - byAtMs),
    });
  const outcome: Heard<SendOutcome> = await withDeadline(
    run,
    draft.channel,
    byAtMs,
    (signal) => channel.send(outgoing(run, draft, chunk), signal).then(named),
    (late) => late.kind === "sent" && tellLate("sent"),
  ).catch((error) => ({ kind: "unknown", ...heard(error) }));
  const endedAtMs = clock.nowMs();
  const tookMs = endedAtMs - startedAtMs;
  const about = { turn: run.taken.turnId, chunk, channel: draft.channel };
  run.log("debug", "send.done", { ...about, outcome: outcome.kind, tookMs });
  const lateMs = endedAtMs - byAtMs;
  if (lateMs > 0 && (outcome.kind === "sent" || lateMs >= FROZEN_MS_MIN)) tellLate(outcome.kind);
  return outcome;
}

/** A user's own channel may return a number as id; a draft with a number could not be read back. */
function named<T extends SendOutcome | ReconcileOutcome>(outcome: T): T {
  return outcome.kind === "sent" ? { ...outcome, providerId: String(outcome.providerId) } : outcome;
}

/** Asks the provider whether it has a chunk that an earlier holder left `sending`. */
export async function reconcile(run: TurnRun, draft: Draft, chunk: number): Promise<Heard<ReconcileOutcome>> {
  const channel = run.channels[draft.channel];
  if (!channel?.reconcile) return { kind: "cannot-tell", why: "the channel cannot be asked", retry: "never" };
  const byAtMs = run.clock.nowMs() + run.settings.sendTimeoutMs;
  const query = {
    ...outgoing(run, draft, chunk),
    notBeforeAtMs: draft.draftedAtMs - PROVIDER_SKEW_MS,
    excludeProviderIds: [...run.taken.recentProviderIds, ...providerIdsOf(draft)],
  };
  return withDeadline(run, draft.channel, byAtMs, (signal) =>
    channel.reconcile!(query, signal).then(named),
  ).catch((error): Heard<ReconcileOutcome> => ({ kind: "cannot-tell", ...heard(error) }));
}

/** Of a `LullError` the log has the words as well: its caller leaves out what quotes a customer. */
function heard(error: unknown): Heard<{ readonly why: string }> {
  const why = wordsOf(error);
  return error instanceof LullError ? { why } : { why, told: tellable(error) };
}

function outgoing(run: TurnRun, draft: Draft, chunk: number) {
  const { text, media } = draft.chunks[chunk]!;
  const { to, from, turnId } = draft;
  const reference = { turnId, chunk };
  const { conversation } = run.taken;
  const credentialsId = credentialsIdIn(conversation, channelType(run.settings, draft.channel));
  return {
    to,
    from,
    text,
    ...(media && { media }),
    reference,
    conversationId: conversation.id,
    ...(credentialsId !== undefined && { credentialsId }),
  };
}

/**
 * Past its deadline, or once the lease is lost, a request is aborted and no longer waited for: a channel may
 * ignore its signal. What it answers all the same goes to `onLate`.
 */
async function withDeadline<T>(
  { clock, heartbeat, settings }: TurnRun,
  channel: string,
  byAtMs: number,
  request: (signal: AbortSignal) => Promise<T>,
  onLate: (late: T) => void = () => {},
): Promise<T> {
  const aborting = new AbortController();
  const { signal } = aborting;
  const giveUp = (): typeof GIVEN_UP => {
    aborting.abort();
    return GIVEN_UP;
  };
  const answered = request(signal).then((answer) => {
    if (signal.aborted) onLate(answer);
    return answer;
  });
  // Not longer than a send may take: the clock may have been set back since its deadline was written down.
  const leftMs = Math.min(byAtMs - clock.nowMs(), settings.sendTimeoutMs);
  const answer = await waitFor<T | typeof GIVEN_UP>(answered, [
    whenAborted(heartbeat.lost, giveUp),
    (end) => clock.after(leftMs, () => end(giveUp())),
  ]);
  if (answer !== GIVEN_UP) return answer;
  throw new LullError(`the provider of ${channel} did not answer in time`, {
    code: "NO_ANSWER",
    retry: "later",
  });
}
