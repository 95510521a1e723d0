import { mergeTexts } from "../core/batch.ts";
import { dropPending } from "../core/draft.ts";
import { channelOf } from "../core/new-draft.ts";
import { projectOf } from "../core/projects.ts";
import { quotes } from "../core/quoting.ts";
import { shortReason } from "../core/reason.ts";
import { decideFailure, type Failure } from "../core/retry.ts";
import { ConfigError, LullError, tellable, wordsOf } from "../errors.ts";
import type { Commit } from "../model/commit.ts";
import type { Draft } from "../model/draft.ts";
import { DEFAULT_PROJECT } from "../model/project.ts";
import type { ReleaseReason } from "../model/release.ts";
import type { Taken } from "../model/take.ts";
import type { Ended } from "../ports/engine.ts";
import { outageOf } from "../wire/outage.ts";
import { sayThatItFails } from "./failure-text.ts";
import { NOT_RENEWED } from "./heartbeat.ts";
import { isNotice } from "./notice.ts";
import { persist } from "./persist.ts";
import type { TurnEnd, TurnRun } from "./turn-run.ts";

/** COMMIT. The heartbeat stops first: it must not touch a lease that the commit releases. */
export async function commit(
  run: TurnRun,
  how: Omit<Commit, "more" | "userText" | "userMedia">,
): Promise<TurnEnd> {
  const { engine, taken, heartbeat, retries } = run;
  heartbeat.stop();
  const { messages } = taken;
  const user =
    messages.length === 0
      ? {}
      : { userText: mergeTexts(messages), userMedia: messages.flatMap(({ media }) => media) };
  const more = taken.cut || taken.draft !== undefined || taken.outbound !== undefined;
  const committed = await persist(run, () =>
    engine.turns.commit(heartbeat.lease(), { ...how, ...user, more }),
  );
  if (committed.kind === "lost") return lose(run);
  // The responder said nothing now, but a late answer has already arrived.
  if (committed.kind === "answered") return release(run, { kind: "put-back" });
  retries.ended(aboutTurn(taken));
  tellCommitted(run, how);
  tellReleased(run, "commit", committed);
  const { next, isLeft } = committed;
  return { kind: "committed", outcome: how.outcome, ...(next && { next }), ...(isLeft && { isLeft }) };
}

/** What every line of the log about a turn begins with. */
export function aboutTurn({ conversation, turnId, attempt }: Taken) {
  return { conversation: conversation.id, turn: turnId, attempt };
}

/** Whose turn it is, for an operator of many tenants. The default project goes without saying. */
export function whoseTurn({ taken, settings }: Pick<TurnRun, "taken" | "settings">) {
  const channel = channelOf(taken);
  const project = projectOf(settings, channel);
  return { channel, ...(project !== DEFAULT_PROJECT && { project }) };
}

function tellCommitted({ log, taken }: TurnRun, { outcome, usage }: Pick<Commit, "outcome" | "usage">): void {
  const { promptTokens, completionTokens } = usage ?? {};
  log("info", "turn.committed", {
    ...aboutTurn(taken),
    outcome,
    messages: taken.messages.length,
    promptTokens,
    completionTokens,
  });
}

/** A customer who wrote meanwhile, and whose window has closed, had to wait for the end of this lease. */
function tellReleased(
  { log, taken, clock, workerId }: TurnRun,
  how: ReleaseReason["kind"] | "commit",
  { keptWaitingSinceAtMs: dueAtMs }: Ended,
): void {
  const { takenAtMs: sinceAtMs } = taken;
  const heldMs = Math.max(0, clock.nowMs() - sinceAtMs);
  log("debug", "lease.released", { ...aboutTurn(taken), how, heldMs });
  if (dueAtMs === undefined) return;
  log("debug", "lease.busy", {
    conversation: taken.lease.conversationId,
    holder: workerId,
    sinceAtMs,
    dueAtMs,
  });
}

/** `told` is what the log says of the reason. */
export async function release(run: TurnRun, how: ReleaseReason, told?: string): Promise<TurnEnd> {
  const { engine, taken, heartbeat, log, retries } = run;
  heartbeat.stop();
  const reason = "reason" in how ? (told ?? worded(run, how.reason, how.draft)) : undefined;
  const back = await persist(run, () => engine.turns.release(heartbeat.lease(), how));
  if (back.kind === "lost") return lose(run);
  if (back.kind === "answered") return release(run, { kind: "put-back" });
  if (how.kind === "dead-letter") {
    const about = { ...aboutTurn(taken), ...whoseTurn(run) };
    log("error", "turn.dead", { ...about, reason, deadLetter: back.deadLetterId });
    retries.ended(aboutTurn(taken));
  } else if (how.kind === "retry") {
    const { afterMs, outageSinceAtMs } = how;
    retries.note({ ...aboutTurn(taken), reason, afterMs, outageSinceAtMs });
  }
  tellReleased(run, how.kind, back);
  return { kind: "released", how: how.kind };
}

export function lose(run: TurnRun): TurnEnd {
  run.log("warn", "lease.lost", aboutTurn(run.taken));
  run.retries.ended(aboutTurn(run.taken));
  return { kind: run.heartbeat.lost.reason === NOT_RENEWED ? "abandoned" : "lost" };
}

/** A failed turn comes back later or becomes a dead letter; it never just vanishes. */
export async function fail(run: TurnRun, error: unknown, draft?: Draft): Promise<TurnEnd> {
  const { settings, clock, taken } = run;
  const nowMs = clock.nowMs();
  const { counted, outages, failingSinceAtMs } = taken;
  const tried = { counted, outages, failingSinceAtMs, draftedAtMs: draft?.draftedAtMs };
  const decision = decideFailure(failureOf(error, nowMs), tried, nowMs, settings, run.random);
  const reason = wordsOf(error);
  const told = toldOf(run, error, draft);
  const withDraft = draft ? { draft } : {};
  tellOperator(run, error, told);
  try {
    if (isNotice(run)) return await leaveUnsaid(run, told, draft);
    if (decision.kind === "retry") {
      const ended = await release(run, { ...decision, reason, ...withDraft }, told);
      // Before the release it would wait as long as the next try. A crash in between leaves it to that one.
      if (!draft && ended.kind === "released") await sayThatItFails(run, decision);
      return ended;
    }
    if (!draft) await sayThatItFails(run, decision);
    const letter = { kind: "dead-letter", reason, ...withDraft, ...unanswered(run, draft) } as const;
    return await release(run, letter, told);
  } catch (storeError) {
    // Not even the release could be written: the lease lapses, and its next holder continues from what is
    // stored.
    run.log("error", "turn.abandoned", { ...aboutTurn(taken), reason: tellable(storeError) });
    return { kind: "abandoned" };
  }
}

/** What a notice could not say is no loss, and nothing of the conversation waits for it. */
export function leaveUnsaid(run: TurnRun, why: string, failed = run.taken.draft): Promise<TurnEnd> {
  const { conversation, turnId: turn } = run.taken;
  run.log("info", "failure-text.dropped", { conversation: conversation.id, turn, reason: why });
  return commit(run, { outcome: "no-reply", ...(failed && { draft: dropPending(failed) }) });
}

/** The responder was being asked, and what it said elsewhere meanwhile counts. */
function unanswered({ taken }: TurnRun, draft: Draft | undefined): { readonly isUnanswered?: true } {
  const isAsking = draft === undefined && taken.draft === undefined && taken.outbound === undefined;
  return isAsking ? { isUnanswered: true } : {};
}

/**
 * Every turn fails on it until an operator changes something. That must not look like waiting for a provider
 * that is away.
 */
function tellOperator(run: TurnRun, error: unknown, reason: string): void {
  if (!(error instanceof LullError)) return;
  const { sampled, taken } = run;
  // Told apart by channel: what one tenant fails on is not counted among another's.
  const apart = { code: error.code, ...whoseTurn(run) };
  const about = { turn: taken.turnId, reason };
  if (error instanceof ConfigError) sampled.note("error", "config.failed", apart, about);
  else if (error.credentials) sampled.note("error", "credentials.refused", apart, about);
}

/** The error may come from a user's responder, an SDK or our own code. */
function failureOf(error: unknown, nowMs: number): Failure {
  try {
    // A secret's file is gone or a variable is not set: the message is not at fault, and an operator repairs
    // it.
    if (error instanceof ConfigError) return { kind: "outage" };
    if (error instanceof LullError && error.retry === "never") return { kind: "permanent" };
    const outage = outageOf(error, nowMs);
    return outage ? { kind: "outage", ...outage } : { kind: "unclassified" };
  } catch {
    return { kind: "unclassified" };
  }
}

/** What the log says of a failure. A dead letter says more, because a person opens it on purpose. */
function toldOf(run: TurnRun, error: unknown, draft: Draft | undefined): string {
  if (!(error instanceof LullError))
    return `${tellable(error)}: its words are in the dead letter, once there is one`;
  return worded(run, wordsOf(error), draft);
}

/** A user's own channel or responder may quote in an error what a customer wrote, or what was answered. */
export function worded(run: TurnRun, given: string, draft = run.taken.draft): string {
  // Only the part that will be logged is checked.
  const reason = shortReason(given);
  if (!quotes(reason, saidIn(run, draft))) return reason;
  const [code = ""] = /^[A-Z][A-Z_]*(?=: )/.exec(reason) ?? [];
  const prefix = code === "" ? "" : `${code}: `;
  return `${prefix}its words repeat what was said, and are in the dead letter, once there is one`;
}

function saidIn({ taken }: TurnRun, draft: Draft | undefined): string[] {
  const { messages, outbound, conversation } = taken;
  const people = [conversation, ...messages].flatMap(({ sender, senderAlias }) => [sender, senderAlias]);
  const texts = messages.flatMap(({ text, replyTo }) => [text, replyTo]);
  const answers = [...(draft?.chunks ?? []).map(({ text }) => text), ...(outbound?.texts ?? [])];
  return [...people, ...texts, ...answers].filter((text) => text !== undefined);
}
