import { mayBring } from "../core/own-addresses.ts";
import { soundStatus } from "../core/sound-inbound.ts";
import type { DeliveryStatus } from "../model/message.ts";
import type { Channel, ReceiveSummary } from "../ports/channel.ts";
import type { Engine, StageOutcome, StageRequest } from "../ports/engine.ts";
import { type Admitted, refuseAddress } from "./arrivals.ts";
import { RETRY_AFTER_SECONDS, type Received, summarise, tellMalformed } from "./outcomes.ts";
import type { ReceiveContext } from "./receive-context.ts";
import { noteRefusal } from "./refuse.ts";

/** What one webhook brought. */
interface Brought {
  readonly name: string;
  readonly channel: Channel;
  readonly arrived: Admitted;
  readonly statuses: readonly DeliveryStatus[];
}

/** Gives the store what a webhook brought. Resolves when it is durable, with what its provider is told. */
export async function takeIn(
  context: ReceiveContext,
  { name, channel, arrived, statuses }: Brought,
): Promise<ReceiveSummary> {
  const engine = await context.engine();
  const { requests, refusal } = arrived;
  let summary: ReceiveSummary = refusal;
  for (const status of statuses)
    if (!(await recordStatus(context, engine, name, status))) summary = refuseAddress(context, name);
  if (requests.length === 0) return summary;
  return { ...summary, ...(await stageAtPace(context, engine, { name, channel, requests })) };
}

/** The messages for this channel: within their senders' limits, all of them or none. */
async function stageAtPace(
  context: ReceiveContext,
  engine: Engine,
  { name, channel, requests }: Omit<Received, "outcomes">,
): Promise<ReceiveSummary> {
  const nowMs = context.clock.nowMs();
  const senders = requests.flatMap(({ arrival, malformed }) =>
    malformed === undefined ? [`${name}/${arrival.sender}`] : [],
  );
  if (!context.limitFor(name, channel).allows(senders, nowMs))
    return tooMany(context, engine, name, requests);
  const outcomes = channel.isUnsigned
    ? await stageUnsigned(context, engine, requests, nowMs)
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
async function stageUnsigned(
  { unsignedRecords }: ReceiveContext,
  engine: Engine,
  requests: readonly StageRequest[],
  nowMs: number,
): Promise<readonly StageOutcome[]> {
  const allowed = unsignedRecords.take(requests.length, nowMs);
  let used = 0;
  try {
    const outcomes = await engine.receiving.stage(
      requests.map((request, at) => (at < allowed ? request : { ...request, isUnrecorded: true })),
    );
    used = outcomes.slice(0, allowed).filter(({ kind }) => kind === "refused").length;
    return outcomes;
  } finally {
    unsignedRecords.release(allowed - used);
  }
}

/** False when the status is for an address that is not its channel's. */
async function recordStatus(
  context: ReceiveContext,
  engine: Engine,
  name: string,
  given: DeliveryStatus,
): Promise<boolean> {
  const read = soundStatus(given);
  if (read.kind === "foreign") {
    // It proves nothing worth recording, and a redelivery would not change that.
    tellMalformed(context, name, read.why);
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
