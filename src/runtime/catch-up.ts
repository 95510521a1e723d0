import { InvalidRequest, LullError } from "../errors.ts";
import type { InboundMessage } from "../model/message.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine, StageOutcome } from "../ports/engine.ts";
import { DeadlineMissed } from "../wire/deadline.ts";
import { admitted } from "./arrivals.ts";
import { knownChannel } from "./known-channel.ts";
import { receivedSince } from "./listing.ts";
import { summarise } from "./outcomes.ts";
import type { ReceiveContext } from "./receive-context.ts";

/** Messages staged in one step: a long outage must not become one huge transaction. */
const BATCH = 100;

export interface CatchUpRequest {
  readonly channel: string;
  readonly sinceAtMs: number;
  /** How many of the provider's messages were looked at so far. */
  readonly onProgress?: (listed: number) => void;
}

export interface CatchUpResult {
  readonly listed: number;
  readonly new: number;
  readonly duplicates: number;
  readonly refused: number;
}

/** Asks a channel's provider what it received since then, and stages what is not there yet. */
export async function catchUp(context: ReceiveContext, request: CatchUpRequest): Promise<CatchUpResult> {
  const { channel: name, sinceAtMs, onProgress = () => {} } = request;
  const channel = knownChannel(context.channels, name);
  if (!channel.listReceived) throw new InvalidRequest(`channel ${name} cannot list what it received`);
  await context.fitness.require(name);
  const engine = await context.engine();
  let result: CatchUpResult = { listed: 0, new: 0, duplicates: 0, refused: 0 };
  let batch: InboundMessage[] = [];
  const flush = async () => {
    if (batch.length === 0) return;
    result = sum(result, await stage(context, engine, { name, channel, batch }));
    batch = [];
    onProgress(result.listed);
  };
  try {
    for await (const message of receivedSince(channel, sinceAtMs, context.clock)) {
      if (batch.push(message) === BATCH) await flush();
    }
  } catch (error) {
    if (!(error instanceof DeadlineMissed)) throw error;
    // What came is safe with us, and the next run finds it known.
    await flush();
    throw unfinished(name, error, result.listed);
  }
  await flush();
  return result;
}

interface Batch {
  readonly name: string;
  readonly channel: Channel;
  readonly batch: readonly InboundMessage[];
}

/** As if a webhook had brought them, but at no pace: nobody would come again with what is turned away. */
async function stage(
  context: ReceiveContext,
  engine: Engine,
  { name, channel, batch }: Batch,
): Promise<CatchUpResult> {
  const { requests } = admitted(context, name, channel, batch);
  const outcomes = await engine.receiving.stage(requests);
  await summarise(context, engine, { name, channel, requests, outcomes, isFetched: true });
  return tally(batch.length, outcomes);
}

function tally(listed: number, outcomes: readonly StageOutcome[]): CatchUpResult {
  const count = (kind: StageOutcome["kind"]) => outcomes.filter((each) => each.kind === kind).length;
  const [staged, duplicates] = [count("staged"), count("duplicate")];
  // What is for another's address was refused before the store was asked.
  return { listed, new: staged, duplicates, refused: listed - staged - duplicates };
}

function sum(one: CatchUpResult, other: CatchUpResult): CatchUpResult {
  return {
    listed: one.listed + other.listed,
    new: one.new + other.new,
    duplicates: one.duplicates + other.duplicates,
    refused: one.refused + other.refused,
  };
}

function unfinished(name: string, cause: DeadlineMissed, listed: number): LullError {
  return new LullError(
    `${name}: the provider gave ${cause.message}; ${listed} messages are in, run it again for the rest`,
    { code: "PROVIDER_UNAVAILABLE", retry: "later", cause },
  );
}
