import { mayBring } from "../core/own-addresses.ts";
import { soundStatus } from "../core/sound-inbound.ts";
import { tellable } from "../errors.ts";
import type { DeliveryStatus } from "../model/message.ts";
import type { Channel, Parsed, ReceiveSummary, WebhookAnswer, WebhookRequest } from "../ports/channel.ts";
import type { Engine, StageOutcome, StageRequest } from "../ports/engine.ts";
import { within } from "../wire/deadline.ts";
import { admitted, refusedStranger } from "./arrivals.ts";
import { knownChannel } from "./known-channel.ts";
import { RETRY_AFTER_SECONDS, type Received, summarise, tellOdd } from "./outcomes.ts";
import type { ReceiveContext } from "./receive-context.ts";
import { noteRefusal, refuse } from "./refuse.ts";

type Updates = Extract<Parsed, { kind: "updates" }>;

/**
 * Stage 1: verify -> parse -> stage -> acknowledge. The provider hears "yes" only when everything is durable.
 */
export async function receive(
  context: ReceiveContext,
  name: string,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { sampled, clock, settings } = context;
  const channel = knownChannel(context.channels, name);
  try {
    // What is stored after that was never acknowledged: the provider sends it again, and it is a duplicate.
    return await within(clock, settings.receiveTimeoutMs, () => answer(context, name, channel, request));
  } catch (error) {
    // Whatever it was, nothing may be acknowledged that is not stored, so the provider is asked to come back.
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
  if (verdict.kind === "refused")
    return refuse(context, name, { code: "INVALID_SIGNATURE", detail: verdict.why });
  const parsed = channel.parse(request);
  switch (parsed.kind) {
    case "challenge":
      return parsed.answer;
    case "ignored":
      log("debug", "webhook.ignored", { channel: name, reason: parsed.why });
      return channel.answer({});
    case "invalid":
      return refuse(context, name, { code: "INVALID_PAYLOAD", detail: parsed.why });
    case "updates":
      return channel.answer(await takeIn(context, name, channel, parsed));
  }
}

async function takeIn(
  context: ReceiveContext,
  name: string,
  channel: Channel,
  { messages, statuses }: Updates,
): Promise<ReceiveSummary> {
  const engine = await context.engine();
  let stranger: ReceiveSummary = {};
  for (const status of statuses)
    if (!(await settle(context, engine, name, status))) stranger = refusedStranger(context, name);
  const { requests, refusal } = admitted(context, name, channel, messages);
  stranger = { ...stranger, ...refusal };
  if (requests.length === 0) return stranger;
  return { ...stranger, ...(await stageAtPace(context, engine, { name, channel, requests })) };
}

/** The messages for this channel: within their senders' limits, all of them or none. */
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
    : await engine.receiving.stage(signed(channel, requests));
  return summarise(context, engine, { name, channel, requests, outcomes });
}

/** Who captured a signed webhook can bring it again: what was refused in it must not be taken in then. */
function signed(channel: Channel, requests: readonly StageRequest[]): readonly StageRequest[] {
  if (!channel.refusesForGood) return requests;
  return requests.map((request) => ({ ...request, isRefusedForGood: true }));
}

/**
 * The store is asked even above the limit: a provider that did not hear our "yes" sends again, and must not
 * be told to come back with what is already here. That costs one read; a sender within the limit costs more.
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

/**
 * Of senders who prove nothing, only as many refusals are recorded as the pace allows: each may use any
 * number of names.
 */
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

/** False when the status is for an address that is not its channel's. */
async function settle(
  context: ReceiveContext,
  engine: Engine,
  name: string,
  given: DeliveryStatus,
): Promise<boolean> {
  const read = soundStatus(given);
  if (read.kind === "foreign") {
    // It proves nothing worth recording, and a redelivery would not change that.
    tellOdd(context, name, read.why);
    return true;
  }
  const { address } = read.value;
  if (address !== undefined && !mayBring(context.channels, name, address)) return false;
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
