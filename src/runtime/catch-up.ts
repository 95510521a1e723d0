import { MEMORY_MARGIN_MS } from "../core/defaults.ts";
import { InvalidRequest, LullError } from "../errors.ts";
import { inPublicUnits } from "../model/limits.ts";
import type { InboundMessage } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine, StageOutcome, StageRequest } from "../ports/engine.ts";
import {
  name as channelName,
  flag,
  type Infer,
  number,
  object,
  optional,
  type Schema,
} from "../schema/schema.ts";
import { DeadlineMissed } from "../wire/deadline.ts";
import { admitted } from "./arrivals.ts";
import { checkRequest } from "./check-request.ts";
import { movedAmong } from "./invented-ids.ts";
import { knownChannel } from "./known-channel.ts";
import { receivedSince } from "./listing.ts";
import { summarise } from "./outcomes.ts";
import type { ReceiveContext } from "./receive-context.ts";

/** Messages staged in one step: a long outage must not become one huge transaction. */
const BATCH = 100;

const PROGRESS: Schema<(listed: number) => void> = { type: "function" };
const REQUEST = object({
  channel: channelName(),
  sinceAtMs: number({ minimum: 0 }),
  /**
   * Takes a number's only owner for the writer. Without it, messages of numbers that have come with a user id
   * are left: a provider's list does not tell the id, and the number may have passed on.
   */
  byNumber: optional(flag()),
  /** Also from before the time for which ids are remembered: what was answered then is answered again. */
  beyondMemory: optional(flag()),
  /** Told how many of the provider's messages were looked at so far. */
  onProgress: optional(PROGRESS),
});

export interface CatchUpRequest extends Infer<typeof REQUEST> {}

export interface CatchUpResult {
  readonly listed: number;
  readonly new: number;
  readonly duplicates: number;
  readonly refused: number;
  /** What was left because it is not known who wrote it: for a person to look at. */
  readonly unattributed: readonly Left[];
  /** What was left because it was moved in from the system before, by its words and its time. */
  readonly moved: readonly Left[];
}

/** A message that was listed, and is for a person to look at. */
export interface Left {
  readonly providerId: string;
  readonly sender: string;
  readonly sentAtMs?: number;
}

const NOTHING: CatchUpResult = { listed: 0, new: 0, duplicates: 0, refused: 0, unattributed: [], moved: [] };

/** Asks a channel's provider what it received since then, and stages what is not there yet. */
export async function catchUp(context: ReceiveContext, request: CatchUpRequest): Promise<CatchUpResult> {
  checkRequest(request, REQUEST);
  const { channel: name, sinceAtMs, byNumber = false, onProgress = () => {} } = request;
  const channel = knownChannel(context.channels, name);
  if (!channel.listReceived) throw new InvalidRequest(`channel ${name} cannot list what it received`);
  await context.fitness.require(name);
  const engine = await context.engine();
  const why = request.beyondMemory ? undefined : await whyForgotten(engine, context.settings, sinceAtMs);
  if (why !== undefined) throw new InvalidRequest(`${why}; say beyondMemory if that is meant`);
  let result = NOTHING;
  let batch: InboundMessage[] = [];
  const twins = new Set<string>();
  const flush = async () => {
    const messages = batch;
    batch = [];
    if (messages.length === 0) return;
    if (!request.beyondMemory) await requireStillKnown(engine, name, sinceAtMs);
    const fetched = { name, channel, batch: messages, sinceAtMs, twins };
    const isMoved = await movedAmong(engine, context.settings, fetched);
    const moved = messages.filter((each) => isMoved.has(each));
    const others = messages.filter((each) => !isMoved.has(each));
    result = sum(result, { ...NOTHING, listed: moved.length, moved: moved.map(leftOf) });
    result = sum(result, await stage(context, engine, { name, channel, batch: others, byNumber }));
    onProgress(result.listed);
  };
  try {
    for await (const listed of receivedSince(channel, sinceAtMs, context.clock)) {
      // The next answer may take a while, and those whose messages are here wait for none of it.
      if (listed === "asking" || batch.push(listed) === BATCH) await flush();
    }
  } catch (error) {
    // What came is safe with us, and the next run finds it known.
    await flush();
    throw error instanceof DeadlineMissed ? unfinished(name, error, result.listed) : error;
  }
  await flush();
  return result;
}

/** A caller who asks for all of the memory reads the clock before we do. Of the margin, the rest is left. */
const READ_BEFORE_MS = 60_000;

/** Set if ids of that time are not known any more: what was answered then would be answered again. */
export async function whyForgotten(
  { receiving }: Pick<Engine, "receiving">,
  { dedupeMs }: Pick<Settings, "dedupeMs">,
  sinceAtMs: number,
): Promise<string | undefined> {
  const fromAtMs = (await receiving.knownSinceMs()) + MEMORY_MARGIN_MS;
  if (sinceAtMs >= fromAtMs - READ_BEFORE_MS) return undefined;
  const hours = inPublicUnits("dedupeMs", dedupeMs - MEMORY_MARGIN_MS);
  return (
    `ids are remembered since ${new Date(fromAtMs).toISOString()} (limits.dedupeHours: ${hours}): ` +
    "what was answered before that would be answered again"
  );
}

/** A list of many questions may take longer than ids are kept beyond what was promised. */
async function requireStillKnown({ receiving }: Engine, name: string, sinceAtMs: number): Promise<void> {
  if (sinceAtMs >= (await receiving.knownSinceMs())) return;
  throw new LullError(
    `${name}: listing took so long that ids of its beginning are forgotten by now; begin later`,
    { code: "INCOMPLETE_LIST", retry: "never" },
  );
}

interface Batch {
  readonly name: string;
  readonly channel: Channel;
  readonly batch: readonly InboundMessage[];
  readonly byNumber: boolean;
}

/** As if a webhook had brought them, but without a pace: what is turned away would not come again. */
async function stage(
  context: ReceiveContext,
  engine: Engine,
  { name, channel, batch, byNumber }: Batch,
): Promise<CatchUpResult> {
  const writers = byNumber ? ("likely" as const) : ("certain" as const);
  const requests = admitted(context, name, channel, batch).requests.map((each) => ({ ...each, writers }));
  const outcomes = await engine.receiving.stage(requests);
  await summarise(context, engine, { name, channel, requests, outcomes, isFetched: true });
  return tally(batch.length, requests, outcomes);
}

function tally(
  listed: number,
  requests: readonly StageRequest[],
  outcomes: readonly StageOutcome[],
): CatchUpResult {
  const count = (kind: StageOutcome["kind"]) => outcomes.filter((each) => each.kind === kind).length;
  const [staged, duplicates] = [count("staged"), count("duplicate")];
  const left = requests.filter((_, at) => outcomes[at]?.kind === "unattributed");
  // What is for another's address was refused before the store was asked.
  const refused = listed - staged - duplicates - left.length;
  const unattributed = left.map(({ arrival }) => leftOf(arrival));
  return { listed, new: staged, duplicates, refused, unattributed, moved: [] };
}

function leftOf({ providerId, sender, sentAtMs }: InboundMessage): Left {
  return { providerId, sender, ...(sentAtMs !== undefined && { sentAtMs }) };
}

function sum(one: CatchUpResult, other: CatchUpResult): CatchUpResult {
  return {
    listed: one.listed + other.listed,
    new: one.new + other.new,
    duplicates: one.duplicates + other.duplicates,
    refused: one.refused + other.refused,
    unattributed: [...one.unattributed, ...other.unattributed],
    moved: [...one.moved, ...other.moved],
  };
}

function unfinished(name: string, cause: DeadlineMissed, listed: number): LullError {
  return new LullError(
    `${name}: the provider gave ${cause.message}; ${listed} messages are in, run it again for the rest`,
    { code: "PROVIDER_UNAVAILABLE", retry: "later", cause },
  );
}
