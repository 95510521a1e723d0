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
import type { Reception } from "./reception.ts";
import { noteRefusal, refuse } from "./refuse.ts";

type Updates = Extract<Parsed, { kind: "updates" }>;

/** Stage 1: verify -> parse -> stage -> acknowledge. The provider hears "yes" only when everything is durable. */
export async function receive(
  reception: Reception,
  name: string,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { sampled, clock, settings } = reception;
  const channel = knownChannel(reception.channels, name);
  try {
    // What is stored after that was never acknowledged: it comes again, and is a duplicate.
    return await within(clock, settings.receiveTimeoutMs, () => answer(reception, name, channel, request));
  } catch (error) {
    // Whatever it was, nothing may be acknowledged that is not stored: the provider is asked to come back.
    // A parser's error quotes what it could not parse.
    sampled.note("error", "webhook.failed", { channel: name, reason: tellable(error) });
    return channel.answer({ code: "STORE_UNAVAILABLE", retryAfterSeconds: 1 });
  }
}

async function answer(
  reception: Reception,
  name: string,
  channel: Channel,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { log } = reception;
  await reception.fitness.require(name);
  const verdict = await channel.verify(request);
  if (verdict.kind === "refused")
    return refuse(reception, name, { code: "INVALID_SIGNATURE", detail: verdict.why });
  const parsed = channel.parse(request);
  switch (parsed.kind) {
    case "challenge":
      return parsed.answer;
    case "ignored":
      log("debug", "webhook.ignored", { channel: name, reason: parsed.why });
      return channel.answer({});
    case "invalid":
      return refuse(reception, name, { code: "INVALID_PAYLOAD", detail: parsed.why });
    case "updates":
      return channel.answer(await takeIn(reception, name, channel, parsed));
  }
}

async function takeIn(
  reception: Reception,
  name: string,
  channel: Channel,
  { messages, statuses }: Updates,
): Promise<ReceiveSummary> {
  const engine = await reception.engine();
  let stranger: ReceiveSummary = {};
  for (const status of statuses)
    if (!(await settle(reception, engine, name, status))) stranger = refusedStranger(reception, name);
  const { requests, refusal } = admitted(reception, name, channel, messages);
  stranger = { ...stranger, ...refusal };
  if (requests.length === 0) return stranger;
  return { ...stranger, ...(await stageAtPace(reception, engine, { name, channel, requests })) };
}

/** What is for this channel: each at its sender's pace, and none without the others. */
async function stageAtPace(
  reception: Reception,
  engine: Engine,
  { name, channel, requests }: Omit<Received, "outcomes">,
): Promise<ReceiveSummary> {
  const nowMs = reception.clock.nowMs();
  const senders = requests.flatMap(({ arrival, odd }) =>
    odd === undefined ? [`${name}/${arrival.sender}`] : [],
  );
  const limit = channel.hasVisitors ? reception.visitorLimit : reception.senderLimit;
  if (!limit.allows(senders, nowMs)) return tooMany(reception, engine, name, requests);
  const outcomes = channel.isUnsigned
    ? await stageOfStrangers(reception, engine, requests, nowMs)
    : await engine.receiving.stage(requests);
  return summarise(reception, engine, { name, channel, requests, outcomes });
}

/**
 * The store is asked all the same: a provider that did not hear our "yes" comes again, and must not be told to come back with what is here.
 * That costs a read; a sender who is within the limit costs more.
 */
async function tooMany(
  reception: Reception,
  engine: Engine,
  name: string,
  requests: readonly StageRequest[],
): Promise<ReceiveSummary> {
  const code = "RATE_LIMITED";
  const outcomes = await engine.receiving.stage(
    requests.map(({ arrival }) => ({ arrival, refusal: code, isUnrecorded: true })),
  );
  if (outcomes.every(({ kind }) => kind === "duplicate")) return {};
  noteRefusal(reception, name, code, "a sender wrote more than may be written in a minute");
  return { code, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

/** What is refused of those who prove nothing is written down as far as there is a place for it: each of them may have any number of names. */
async function stageOfStrangers(
  { unsignedRecords }: Reception,
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

/** False when it tells of an address that is not its channel's. */
async function settle(
  reception: Reception,
  engine: Engine,
  name: string,
  given: DeliveryStatus,
): Promise<boolean> {
  const read = soundStatus(given);
  if (read.kind === "foreign") {
    // It proves nothing that could be written down, and coming again would not change that.
    tellOdd(reception, name, read.why);
    return true;
  }
  const { address } = read.value;
  if (address !== undefined && !mayBring(reception.channels, name, address)) return false;
  const result = await engine.receiving.recordDelivery(name, read.value);
  const { providerId, status: word, errorCode } = read.value;
  reception.log("debug", "delivery.status", {
    channel: name,
    provider: providerId,
    status: word,
    errorCode,
    result,
  });
  return true;
}
