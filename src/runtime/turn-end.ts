import { mergeTexts } from "../core/batch.ts";
import { outageOf } from "../core/outage.ts";
import { shortReason } from "../core/reason.ts";
import { decideFailure, type Failure } from "../core/retry.ts";
import { LullError } from "../errors.ts";
import type { Draft } from "../ports/draft.ts";
import type { Commit, GiveBack } from "../ports/engine.ts";
import { NOT_RENEWED } from "./heartbeat.ts";
import { persist } from "./persist.ts";
import type { TurnEnd, TurnRun } from "./turn-run.ts";

/** COMMIT. The renewer stops first: it must not touch a lease that the commit releases. */
export async function commit(
  run: TurnRun,
  how: Omit<Commit, "more" | "userText" | "userMedia">,
): Promise<TurnEnd> {
  const { engine, taken, heartbeat, log } = run;
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
  if (committed.kind === "answered") return { kind: "answered" };
  log("info", "turn.committed", {
    conversation: taken.conversation.id,
    turn: taken.turnId,
    outcome: how.outcome,
    messages: messages.length,
    attempt: taken.attempt,
  });
  const { next, isLeft } = committed;
  return { kind: "committed", outcome: how.outcome, ...(next && { next }), ...(isLeft && { isLeft }) };
}

export async function giveBack(run: TurnRun, given: GiveBack): Promise<TurnEnd> {
  const { engine, taken, heartbeat, log } = run;
  heartbeat.stop();
  const how = "reason" in given ? { ...given, reason: shortReason(given.reason) } : given;
  const back = await persist(run, () => engine.turns.giveBack(heartbeat.lease(), how));
  if (back.kind === "lost") return lose(run);
  const about = { conversation: taken.conversation.id, turn: taken.turnId, attempt: taken.attempt };
  if (how.kind === "bury")
    log("error", "turn.dead", { ...about, reason: how.reason, deadLetter: back.deadLetterId });
  else if (how.kind === "retry") {
    const { reason, afterMs, outageSinceAtMs } = how;
    log("warn", "turn.retry", { ...about, reason, afterMs, outageSinceAtMs });
  } else log("debug", "lease.released", { ...about, how: how.kind });
  return { kind: "given-back", how: how.kind };
}

export function lose(run: TurnRun): TurnEnd {
  run.log("warn", "lease.lost", { conversation: run.taken.conversation.id, turn: run.taken.turnId });
  return { kind: run.heartbeat.lost.reason === NOT_RENEWED ? "abandoned" : "lost" };
}

/** A failed turn comes back later, or becomes a dead letter: never silence. */
export async function fail(run: TurnRun, error: unknown, draft?: Draft): Promise<TurnEnd> {
  const { settings, clock, taken } = run;
  const nowMs = clock.nowMs();
  const { attempt, attempts, failingSinceAtMs } = taken;
  const tried = { attempts, outages: attempt - attempts, failingSinceAtMs, draftedAtMs: draft?.draftedAtMs };
  const decision = decideFailure(failureOf(error, nowMs), tried, nowMs, settings, run.random);
  const reason = reasonOf(error);
  const withDraft = draft ? { draft } : {};
  try {
    if (decision.kind === "bury") return await giveBack(run, { kind: "bury", reason, ...withDraft });
    return await giveBack(run, { ...decision, reason, ...withDraft });
  } catch (storeError) {
    // Not even that could be written: the lease lapses, and whoever takes it then goes on from what is stored.
    run.log("error", "turn.abandoned", { turn: taken.turnId, reason: shortReason(reasonOf(storeError)) });
    return { kind: "abandoned" };
  }
}

/** Whoever threw it: a responder of somebody's own, an SDK, or one of ours. */
function failureOf(error: unknown, nowMs: number): Failure {
  try {
    if (error instanceof LullError && error.retry === "never") return { kind: "permanent" };
    const outage = outageOf(error, nowMs);
    return outage ? { kind: "outage", ...outage } : { kind: "unclassified" };
  } catch {
    return { kind: "unclassified" };
  }
}

/** An error may be anything, also something that throws when it is read. */
function reasonOf(error: unknown): string {
  try {
    if (error instanceof LullError) return `${error.code}: ${error.message}`;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "an error that cannot be read";
  }
}
