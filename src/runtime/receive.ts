import { soundStatus } from "../core/sound-inbound.ts";
import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { DeliveryStatus } from "../model/message.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Settings } from "../model/settings.ts";
import type { Channel, Parsed, ReceiveSummary, WebhookAnswer, WebhookRequest } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine, StageOutcome, StageRequest } from "../ports/engine.ts";
import { within } from "../wire/deadline.ts";
import { type Arriving, arriving } from "./arrivals.ts";
import type { ChannelFitness } from "./channel-fitness.ts";
import type { RecordPace } from "./record-pace.ts";
import type { SampledLog } from "./sampled-log.ts";
import type { SenderLimit } from "./sender-limit.ts";

/** What receiving needs besides the request. */
export interface ReceiveContext {
  readonly fitness: ChannelFitness;
  readonly settings: Settings;
  readonly engine: () => Promise<Engine>;
  readonly log: Log;
  /** For everything that a caller may cause without end. */
  readonly sampled: SampledLog;
  readonly clock: Clock;
  readonly hasResponder: (channel: string) => boolean;
  /** Whether a channel may bring messages for this address of ours, and tell what became of those from it. */
  readonly mayBring: (channel: string, address: string) => boolean;
  readonly senderLimit: SenderLimit;
  /** For channels that people call by themselves. */
  readonly visitorLimit: SenderLimit;
  /** How many of their refusals are written down. */
  readonly unsignedRecords: RecordPace;
  readonly busyText: string;
}

/** When a provider may come back to a conversation that is full, or with a sender who wrote too much. */
const RETRY_AFTER_SECONDS = 60;

const NOT_OURS =
  "our number in it is not one of this channel's: name it there, or correct where its webhooks go";

type Updates = Extract<Parsed, { kind: "updates" }>;

/** Stage 1: verify -> parse -> stage -> acknowledge. The provider hears "yes" only when everything is durable. */
export async function receive(
  context: ReceiveContext,
  name: string,
  channel: Channel,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { sampled, clock, settings } = context;
  try {
    // What is stored after that was never acknowledged: it comes again, and is a duplicate.
    return await within(clock, settings.receiveTimeoutMs, () => answer(context, name, channel, request));
  } catch (error) {
    // Whatever it was, nothing may be acknowledged that is not stored: the provider is asked to come back.
    // A parser's error quotes what it could not parse.
    sampled.note("error", "webhook.failed", { channel: name, reason: tellable(error) });
    return channel.answer({ code: "STORE_UNAVAILABLE", retryAfterSeconds: 1 });
  }
}

async function answer(
  context: ReceiveContext,
  name: string,
  channel: Channel,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { log } = context;
  await context.fitness.require(name);
  const verdict = await channel.verify(request);
  if (verdict.kind === "refused") {
    noteRefusal(context, name, "INVALID_SIGNATURE", verdict.why);
    return channel.answer({ code: "INVALID_SIGNATURE", detail: verdict.why });
  }
  const parsed = channel.parse(request);
  switch (parsed.kind) {
    case "challenge":
      return parsed.answer;
    case "ignored":
      log("debug", "webhook.ignored", { channel: name, reason: parsed.why });
      return channel.answer({});
    case "invalid":
      noteRefusal(context, name, "INVALID_PAYLOAD", parsed.why);
      return channel.answer({ code: "INVALID_PAYLOAD", detail: parsed.why });
    case "updates":
      return channel.answer(await takeIn(context, name, channel, parsed));
  }
}

/** A webhook is refused as a whole. */
export function noteRefusal(
  { sampled }: { readonly sampled: Pick<SampledLog, "note"> },
  channel: string,
  code: RefusalCode,
  reason: string,
): void {
  sampled.note("warn", "webhook.refused", { channel, code, reason });
}

async function takeIn(
  context: ReceiveContext,
  name: string,
  channel: Channel,
  { messages: given, statuses }: Updates,
): Promise<ReceiveSummary> {
  const engine = await context.engine();
  let stranger: ReceiveSummary = {};
  for (const status of statuses)
    if (!(await settle(context, engine, name, status))) stranger = refusedStranger(context, name);
  if (given.length === 0) return stranger;
  const arrived = arriving(given, {
    channel: name,
    arrivedAtMs: context.clock.nowMs(),
    textLengthMax: channel.textLengthMax,
    refusal: context.hasResponder(name) ? undefined : "ROUTE_NOT_FOUND",
  });
  const requests = arrived.filter(
    ({ arrival, odd }) => odd !== undefined || context.mayBring(name, arrival.address),
  );
  if (requests.length < arrived.length) stranger = refusedStranger(context, name);
  if (requests.length === 0) return stranger;
  return { ...stranger, ...(await stageAtPace(context, engine, { name, channel, requests })) };
}

/** What is for this channel: each at its sender's pace, and none without the others. */
async function stageAtPace(
  context: ReceiveContext,
  engine: Engine,
  { name, channel, requests }: Omit<Received, "outcomes">,
): Promise<ReceiveSummary> {
  const nowMs = context.clock.nowMs();
  const senders = requests.flatMap(({ arrival, odd }) =>
    odd === undefined ? [`${name}/${arrival.sender}`] : [],
  );
  const limit = channel.hasVisitors ? context.visitorLimit : context.senderLimit;
  if (!limit.allows(senders, nowMs)) return tooMany(context, engine, name, requests);
  const outcomes = channel.isUnsigned
    ? await stageOfStrangers(context, engine, requests, nowMs)
    : await engine.receiving.stage(requests);
  return summarise(context, engine, { name, channel, requests, outcomes });
}

/** Whoever may speak for one channel's customers must not for another's. Nothing of it is kept: it may not be what it says it is. */
function refusedStranger(context: ReceiveContext, name: string): ReceiveSummary {
  noteRefusal(context, name, "INVALID_SIGNATURE", NOT_OURS);
  return { code: "INVALID_SIGNATURE", detail: NOT_OURS };
}

/**
 * The store is asked all the same: a provider that did not hear our "yes" comes again, and must not be told to come back with what is here.
 * That costs a read; a sender who is within the limit costs more.
 */
async function tooMany(
  context: ReceiveContext,
  engine: Engine,
  name: string,
  requests: readonly StageRequest[],
): Promise<ReceiveSummary> {
  const code = "RATE_LIMITED";
  const outcomes = await engine.receiving.stage(
    requests.map(({ arrival }) => ({ arrival, refusal: code, isUnrecorded: true })),
  );
  if (outcomes.every(({ kind }) => kind === "duplicate")) return {};
  noteRefusal(context, name, code, "a sender wrote more than may be written in a minute");
  return { code, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

/** What is refused of those who prove nothing is written down as far as there is a place for it: each of them may have any number of names. */
async function stageOfStrangers(
  { unsignedRecords }: ReceiveContext,
  engine: Engine,
  requests: readonly StageRequest[],
  nowMs: number,
): Promise<readonly StageOutcome[]> {
  const places = unsignedRecords.take(requests.length, nowMs);
  let used = 0;
  try {
    const outcomes = await engine.receiving.stage(
      requests.map((request, at) => (at < places ? request : { ...request, isUnrecorded: true })),
    );
    used = outcomes.slice(0, places).filter(({ kind }) => kind === "refused").length;
    return outcomes;
  } finally {
    unsignedRecords.release(places - used);
  }
}

interface Received {
  readonly name: string;
  readonly channel: Channel;
  readonly requests: readonly Arriving[];
  readonly outcomes: readonly StageOutcome[];
}

async function summarise(
  context: ReceiveContext,
  engine: Engine,
  received: Received,
): Promise<ReceiveSummary> {
  let summary: ReceiveSummary = {};
  for (const [at, outcome] of received.outcomes.entries()) {
    const { odd, tooLongBy } = received.requests[at]!;
    if (tooLongBy !== undefined)
      summary = { ...summary, detail: `the text is ${tooLongBy} characters too long` };
    if (odd !== undefined) summary = { ...summary, ...tellOdd(context, received.name, odd) };
    else logOutcome(context, received.name, outcome);
    if (outcome.kind === "staged") summary = { ...summary, conversationId: outcome.conversationId };
    if (outcome.kind === "refused") {
      const busy = outcome.tellBusy ? await tellBusy(context, engine, received, at, outcome) : {};
      summary = { ...summary, ...busy, ...refusedFor(outcome.code, summary) };
    }
  }
  return summary;
}

/** Whoever wrote the channel has to hear of it, and where the caller reads answers, its caller. */
function tellOdd({ sampled }: ReceiveContext, channel: string, why: string): Pick<ReceiveSummary, "detail"> {
  sampled.note("error", "webhook.refused", { channel, code: "INVALID_PAYLOAD", reason: why });
  return { detail: `a message of this channel cannot be kept: ${why}` };
}

/** What was only put off wins over what is refused for good: the provider has to come back. */
function refusedFor(code: RefusalCode, before: ReceiveSummary): ReceiveSummary {
  if (code === "RATE_LIMITED") return { code, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return { code: before.code ?? code };
}

function logOutcome({ log, sampled }: ReceiveContext, channel: string, outcome: StageOutcome): void {
  if (outcome.kind === "staged") {
    log("debug", "window.armed", { channel, conversation: outcome.conversationId, dueAtMs: outcome.dueAtMs });
  } else if (outcome.kind === "refused" && outcome.code === "RATE_LIMITED") {
    // Told once: whoever floods a conversation should not flood the log as well.
    const { conversationId: conversation, tellBusy: isFirst } = outcome;
    if (isFirst) log("warn", "conversation.full", { channel, conversation });
    else log("debug", "message.refused", { channel, code: outcome.code, conversation });
  } else if (outcome.kind === "refused") {
    const { code, conversationId: conversation } = outcome;
    sampled.note("info", "message.refused", { channel, code }, { conversation });
  } else log("debug", "message.duplicate", { channel });
}

/** In the webhook's own answer where the provider shows it to the customer, else as a turn of its own. Nobody shows a 429. */
async function tellBusy(
  context: ReceiveContext,
  engine: Engine,
  { name, channel, requests }: Received,
  at: number,
  { code, conversationId }: Extract<StageOutcome, { kind: "refused" }>,
): Promise<{ busyText?: string }> {
  if (channel.busyTextInAnswer && code !== "RATE_LIMITED") return { busyText: context.busyText };
  const { arrival: message } = requests[at]!;
  if (conversationId !== undefined) {
    await engine.conversations.say({
      id: `busy-${message.providerId}`,
      conversationId,
      channel: name,
      to: message.replyTo,
      texts: [context.busyText],
      author: "busy",
    });
  }
  return {};
}

/** False when it tells of an address that is not its channel's. */
async function settle(
  context: ReceiveContext,
  engine: Engine,
  name: string,
  given: DeliveryStatus,
): Promise<boolean> {
  const read = soundStatus(given);
  if (read.kind === "foreign") {
    // It proves nothing that could be written down, and coming again would not change that.
    tellOdd(context, name, read.why);
    return true;
  }
  const { address } = read.value;
  if (address !== undefined && !context.mayBring(name, address)) return false;
  const result = await engine.receiving.recordDelivery(name, read.value);
  const { providerId, status: word, errorCode } = read.value;
  context.log("debug", "delivery.status", {
    channel: name,
    provider: providerId,
    status: word,
    errorCode,
    result,
  });
  return true;
}
