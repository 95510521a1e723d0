import { busyOutbound } from "../core/notices.ts";
import { settingsFor } from "../core/projects.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Channel, ReceiveSummary } from "../ports/channel.ts";
import type { Engine, StageOutcome } from "../ports/engine.ts";
import type { Arriving } from "./arrivals.ts";
import type { ReceiveContext } from "./receive-context.ts";

/** When a provider may come back to a conversation that is full, or with a sender who wrote too much. */
export const RETRY_AFTER_SECONDS = 60;

/** What was staged of one channel's messages, and how it went. */
export interface Received {
  readonly name: string;
  readonly channel: Channel;
  readonly requests: readonly Arriving[];
  readonly outcomes: readonly StageOutcome[];
  /** Set where no webhook waits for an answer that could carry the busy text: we fetched them ourselves. */
  readonly isFetched?: true;
}

/**
 * Tells of each outcome: in the log, to a customer who is turned away while we are busy, and to the provider
 * in the webhook's answer.
 */
export async function summarise(
  context: ReceiveContext,
  engine: Engine,
  received: Received,
): Promise<ReceiveSummary> {
  let summary: ReceiveSummary = {};
  for (const [at, outcome] of received.outcomes.entries()) {
    const { malformed, tooLongBy } = received.requests[at]!;
    if (tooLongBy !== undefined)
      summary = { ...summary, detail: `the text is ${tooLongBy} characters too long` };
    if (malformed !== undefined)
      summary = { ...summary, ...tellMalformed(context, received.name, malformed) };
    else logOutcome(context, received.name, outcome);
    if (outcome.kind === "staged") summary = { ...summary, conversationId: outcome.conversationId };
    if (outcome.kind === "refused") {
      const busy = outcome.tellBusy ? await tellBusy(context, engine, received, at, outcome) : {};
      summary = { ...summary, ...busy, ...refusedFor(outcome.code, summary) };
    }
  }
  return summary;
}

/** The log tells the author of the channel; the answer tells the caller, where callers read answers. */
export function tellMalformed(
  { sampled }: ReceiveContext,
  channel: string,
  why: string,
): Pick<ReceiveSummary, "detail"> {
  sampled.note("error", "webhook.refused", { channel, code: "INVALID_PAYLOAD", reason: why });
  return { detail: `a message of this channel cannot be kept: ${why}` };
}

/** What was only put off wins over what is refused for good: the provider has to come back. */
function refusedFor(code: RefusalCode, before: ReceiveSummary): ReceiveSummary {
  if (code === "RATE_LIMITED") return { code, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return { code: before.code ?? code };
}

function logOutcome({ log, sampled, store }: ReceiveContext, channel: string, outcome: StageOutcome): void {
  if (outcome.kind === "staged") {
    store.worked();
    const { conversationId: conversation, dueAtMs, isJoined, heldBy } = outcome;
    if (isJoined) log("debug", "window.joined", { channel, conversation, dueAtMs, heldBy });
    else log("debug", "window.armed", { channel, conversation, dueAtMs, heldBy });
  } else if (outcome.kind === "refused" && outcome.code === "RATE_LIMITED") {
    // Told once: a customer who floods a conversation should not flood the log as well.
    const { conversationId: conversation, tellBusy: isFirst } = outcome;
    if (isFirst) log("warn", "conversation.full", { channel, conversation });
    else log("debug", "message.refused", { channel, code: outcome.code, conversation });
  } else if (outcome.kind === "refused") {
    const { code, conversationId: conversation } = outcome;
    sampled.note("info", "message.refused", { channel, code }, { conversation });
  } else if (outcome.kind === "unattributed") log("info", "message.unattributed", { channel });
  else log("debug", "message.duplicate", { channel });
}

/**
 * In the webhook's own answer where the provider shows it to the customer, else as a turn of its own. That a
 * conversation is full, the store has told already: no provider shows the body of a 429.
 */
async function tellBusy(
  context: ReceiveContext,
  engine: Engine,
  { channel, requests, isFetched }: Received,
  at: number,
  { code, conversationId }: Extract<StageOutcome, { kind: "refused" }>,
): Promise<{ busyText?: string }> {
  if (code === "RATE_LIMITED") return {};
  const { arrival } = requests[at]!;
  const { busyText: text } = settingsFor(context.settings, arrival.channel);
  if (channel.busyTextInAnswer && !isFetched) return { busyText: text };
  if (conversationId !== undefined)
    await engine.conversations.say(busyOutbound(arrival, { id: arrival.providerId, conversationId, text }));
  return {};
}
