import { isPassedOn } from "../core/addressee.ts";
import { channelType } from "../core/identity.ts";
import { channelOf } from "../core/new-draft.ts";
import { settingsFor } from "../core/projects.ts";
import { type Answer, effectsOf } from "../core/reply.ts";
import { decideAnswer } from "../core/rules.ts";
import { mayRestart } from "../core/turn.ts";
import { LullError } from "../errors.ts";
import type { Draft } from "../model/draft.ts";
import type { StagedOutbound } from "../model/outbound.ts";
import type { Taken } from "../model/take.ts";
import type { Responder } from "../ports/responder.ts";
import { ask } from "./ask.ts";
import { deliver } from "./deliver.ts";
import { draftOf, sendingFirst } from "./drafting.ts";
import { keepAlive } from "./heartbeat.ts";
import { whyUnsaid } from "./notice.ts";
import { passedOn } from "./passed-on.ts";
import { persist } from "./persist.ts";
import { aboutTurn, commit, fail, leaveUnsaid, lose, release } from "./turn-end.ts";
import type { TurnContext, TurnEnd, TurnRun } from "./turn-run.ts";

/**
 * ANSWER, DRAFT, SEND, COMMIT. In every case the lease is released or lapses.
 */
export async function runTurn(context: TurnContext, taken: Taken): Promise<TurnEnd> {
  const run = held(context, taken);
  try {
    return await resume(run);
  } catch (error) {
    return await fail(run, error);
  } finally {
    run.heartbeat.stop();
  }
}

/** Releases a turn that is not to be begun: another worker takes it at once. */
export function putBack(context: TurnContext, taken: Taken): Promise<TurnEnd> {
  return release(held(context, taken), { kind: "put-back" });
}

function held(context: TurnContext, taken: Taken): TurnRun {
  const { engine, clock, settings, log } = context;
  const heartbeat = keepAlive(engine.turns, taken.lease, clock, settings.renewMs, log);
  return { ...context, own: settingsFor(settings, channelOf(taken)), taken, heartbeat };
}

function resume(run: TurnRun): Promise<TurnEnd> {
  const { draft, outbound } = run.taken;
  const channel = channelOf(run.taken);
  // Checked before the responder is asked: on a shared database another process may have this channel.
  if (!Object.hasOwn(run.channels, channel)) return fail(run, elsewhere(channel));
  if (draft) return deliver(run, draft, { isFresh: false });
  if (!outbound) return answerBatch(run);
  return outbound.about === undefined ? saySomething(run, outbound) : sayNotice(run, outbound);
}

function saySomething(run: TurnRun, outbound: StagedOutbound): Promise<TurnEnd> {
  return isPassedOn(run.taken) ? fail(run, passedOn()) : writeDraft(run, draftOf(run, outbound));
}

async function sayNotice(run: TurnRun, outbound: StagedOutbound): Promise<TurnEnd> {
  const why = await whyUnsaid(run);
  return why === undefined ? writeDraft(run, draftOf(run, outbound)) : leaveUnsaid(run, why);
}

function elsewhere(channel: string): LullError {
  return new LullError(`this process has no channel ${channel}`, { code: "NO_CHANNEL", retry: "later" });
}

async function answerBatch(run: TurnRun): Promise<TurnEnd> {
  const { taken, settings } = run;
  const channel = channelOf(taken);
  const decision = decideAnswer(taken.conversation, taken.project, channelType(settings, channel));
  if (decision.kind === "refuse") return commit(run, { outcome: `refused: ${decision.code}` });
  if (decision.kind === "hand-off") return handOver(run);
  if (isPassedOn(taken)) return fail(run, passedOn());
  const responder = run.responderFor(channel);
  if (!responder) return commit(run, { outcome: "refused: ROUTE_NOT_FOUND" });
  return askAndGoOn(run, responder, (answer, answerStartedAtMs) => {
    if (answer.kind === "later") return awaitAnswer(run, answer.afterMs, answerStartedAtMs);
    if (answer.texts.length === 0 && answer.media.length === 0)
      return commitSilence(run, answer, answerStartedAtMs);
    return writeDraft(run, draftOf(run, { ...answer, answerStartedAtMs }));
  });
}

function awaitAnswer(run: TurnRun, afterMs: number, answerStartedAtMs: number): Promise<TurnEnd> {
  const awaitingUntilAtMs = run.clock.nowMs() + afterMs;
  const draft = draftOf(run, { texts: [], answerStartedAtMs, awaitingUntilAtMs });
  return release(run, { kind: "wait", afterMs, draft });
}

/**
 * A human has the conversation: the hand-off target, if there is one, gets the turn, and nothing is sent, now
 * or later.
 */
async function handOver(run: TurnRun): Promise<TurnEnd> {
  const done = () => commit(run, { outcome: "handed-off" });
  const target = run.handOffFor(channelOf(run.taken));
  return target ? askAndGoOn(run, target, done) : done();
}

type Answered = Extract<Answer, { kind: "answer" }>;

async function askAndGoOn(
  run: TurnRun,
  responder: Responder,
  onAnswer: (answer: Answer, startedAtMs: number) => Promise<TurnEnd>,
): Promise<TurnEnd> {
  const { engine, clock, own, heartbeat, stopping, taken } = run;
  // A worker that is about to stop does not ask the responder.
  if (stopping.aborted) return release(run, { kind: "put-back" });
  const startedAtMs = clock.nowMs();
  const { answerTimeoutMs, historyMessagesMax, historyBytesMax } = own;
  const asking = {
    engine,
    clock,
    answerTimeoutMs,
    historyMessagesMax,
    historyBytesMax,
    lost: heartbeat.lost,
    stopping,
    note: (code: string) => run.log("info", "turn.noted", { ...aboutTurn(taken), code }),
    ...(mayRestart(own, taken) && { newer: (signal: AbortSignal) => untilNewer(run, signal) }),
  };
  const asked = await ask(asking, responder, taken);
  switch (asked.kind) {
    case "lost":
      return lose(run);
    case "stopping":
      return release(run, { kind: "put-back" });
    case "newer":
      return release(run, { kind: "restart" });
    case "failed":
      return fail(run, asked.error);
    case "answered":
      run.log("debug", "turn.answered", { ...aboutTurn(taken), answerMs: clock.nowMs() - startedAtMs });
      return onAnswer(asked.answer, startedAtMs);
  }
}

/** `whileBusy: "restart"`: looks now and then whether the customer went on writing. */
async function untilNewer(run: TurnRun, signal: AbortSignal): Promise<boolean> {
  const { engine, clock, settings, heartbeat } = run;
  while (!signal.aborted) {
    await clock.sleep(settings.restartPollMs, signal);
    if (!signal.aborted && (await engine.turns.hasNewer(heartbeat.lease()).catch(() => false))) return true;
  }
  return false;
}

async function commitSilence(run: TurnRun, answer: Answered, answerStartedAtMs: number): Promise<TurnEnd> {
  // A turn that was queued elsewhere is not started over: its receiver would have it twice.
  if (
    !answer.queued &&
    mayRestart(run.own, run.taken) &&
    (await run.engine.turns.hasNewer(run.heartbeat.lease()))
  )
    return release(run, { kind: "restart" });
  const { handOff, queued } = answer;
  const silence = queued ? "queued" : "no-reply";
  return commit(run, {
    outcome: handOff === undefined ? silence : "handed-off",
    ...effectsOf(answer),
    answerStartedAtMs,
    answeredAtMs: run.clock.nowMs(),
  });
}

/** DRAFT, with its first chunk already `sending`: one durable write before the first byte goes out. */
async function writeDraft(run: TurnRun, draft: Draft): Promise<TurnEnd> {
  const first = sendingFirst(run, draft);
  const written = await persist(run, () => run.engine.turns.draft(run.heartbeat.lease(), first));
  switch (written.kind) {
    case "lost":
      return lose(run);
    case "handed-off":
      return commit(run, { outcome: "handed-off" });
    case "newer":
      return release(run, { kind: "restart" });
    case "drafted":
      run.heartbeat.renewed(written.lease);
      return deliver(run, written.draft, { isFresh: true });
  }
}
