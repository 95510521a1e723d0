import { randomUUID } from "node:crypto";
import { SAYING_LIMITS, STRANGERS_REFUSALS_PER_MINUTE_MAX } from "../core/defaults.ts";
import { addressProblem, mayBring } from "../core/own-addresses.ts";
import { addresseeOf } from "../core/person.ts";
import { safely } from "../core/privacy.ts";
import { ConfigError, LullError } from "../errors.ts";
import type { FullReply } from "../model/reply.ts";
import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine } from "../ports/engine.ts";
import { processIdentity } from "../process/identity.ts";
import { environmentSecrets } from "../secrets/secrets.ts";
import { within } from "../wire/deadline.ts";
import { ChannelFitness } from "./channel-fitness.ts";
import { type LullConfig, publicUrlIn, settingsFrom } from "./config.ts";
import { Lifecycle, type PartFactories, stopped } from "./lifecycle.ts";
import { passedOn } from "./passed-on.ts";
import { readReply } from "./read-reply.ts";
import { Readiness } from "./readiness.ts";
import { type ReceiveContext, receive } from "./receive.ts";
import { RecordPace } from "./record-pace.ts";
import { replyTexts } from "./reply-texts.ts";
import { SampledLog } from "./sampled-log.ts";
import { senderLimit } from "./sender-limit.ts";
import type { SayRequest, Service } from "./service.ts";
import { Sweeper } from "./sweeper.ts";
import { systemClock } from "./system-clock.ts";
import { warnings } from "./warnings.ts";
import { Worker } from "./worker.ts";

const GRACE_MS = 25_000;
const FULL_RETRY_MS = 60_000;
const BUSY_TEXT = "I was still answering and did not read this message. Please send it again.";

/** Puts core, engine, channels and responders together. Nothing runs until `start`, nothing is opened until it is needed. */
export function createService(config: LullConfig): Service {
  const settings = settingsFrom(config);
  const clock = config.clock ?? systemClock;
  const secrets = config.secrets ?? environmentSecrets();
  const log = safely(config.log ?? warnings);
  const random = config.random ?? Math.random;
  const workerId = config.workerId ?? processIdentity();
  const publicUrl = publicUrlIn(config);
  const responderFor = (channel: string) => config.responders?.[channel] ?? config.respond;
  openChannels(config, { secrets, publicUrl, clock });
  requireOwnAddresses(config.channels);

  const { channels, handOffTo } = config;
  const sampled = new SampledLog(log, clock);
  const factories: PartFactories = {
    engine: (onArmed) => config.engine.open({ clock, settings, workerId, log, onArmed }),
    worker: (engine) =>
      new Worker({ engine, settings, channels, responderFor, handOffTo, clock, random, log, sampled }),
    sweeper: ({ sweeping }) => new Sweeper(sweeping, clock, settings.sweepMs, random, log),
  };
  let lifecycle = new Lifecycle(factories);
  let stops = 0;
  const open = () => lifecycle.engine();
  const readiness = new Readiness(clock, () =>
    within(clock, settings.receiveTimeoutMs, async () => {
      const engine = await open();
      await (engine.probe?.() ?? engine.ping());
    }),
  );
  const fitness = new ChannelFitness(config.channels);
  const context: ReceiveContext = {
    settings,
    fitness,
    engine: open,
    log,
    sampled,
    clock,
    mayBring: (channel, address) => mayBring(config.channels, channel, address),
    hasResponder: (channel) => responderFor(channel) !== undefined,
    senderLimit: senderLimit(settings.senderPerMinuteMax),
    visitorLimit: senderLimit(settings.senderPerMinuteMax || settings.visitorPerMinuteMax),
    unsignedRecords: new RecordPace(STRANGERS_REFUSALS_PER_MINUTE_MAX),
    busyText: config.busyText ?? BUSY_TEXT,
  };
  const channelNamed = (name: string): Channel => {
    const channel = config.channels[name];
    if (!channel) throw new ConfigError(`there is no channel ${name}`);
    return channel;
  };

  return {
    settings,
    channels: config.channels,
    publicUrl,
    apiToken: config.apiToken,
    turnToken: config.turnToken,
    secrets,
    log,
    sampled,
    workerId,
    clock,
    engine: open,
    receive: (name, request) => receive(context, name, channelNamed(name), request),
    say: async (request) => say(await open(), config.channels, settings, request),
    answerTurn: async (turnId, reply) => answerTurn(await open(), config.channels, settings, turnId, reply),
    ready: () => readiness.get(),
    wake: async (conversationId, time) => (await lifecycle.worker()).wake(conversationId, time),
    requireFit: (name) => (name === undefined ? fitness.requireAll() : fitness.require(name)),
    async start() {
      const asked = stops;
      await fitness.requireAll();
      if (stops !== asked) throw stopped();
      readiness.forget();
      if (lifecycle.isOver) {
        // What the last one still carries out ends first: two workers of one name would take each other's leases for their own.
        const last = lifecycle;
        await last.end(GRACE_MS);
        if (stops !== asked) throw stopped();
        if (lifecycle === last) lifecycle = new Lifecycle(factories);
      }
      await lifecycle.start();
    },
    async stop(graceMs = GRACE_MS) {
      stops += 1;
      readiness.forget();
      await lifecycle.end(graceMs);
      sampled.flush();
    },
  };
}

function openChannels(
  { channels }: LullConfig,
  { secrets, publicUrl, clock }: Pick<Service, "secrets" | "publicUrl" | "clock">,
): void {
  for (const [name, channel] of Object.entries(channels)) {
    const statusUrl = publicUrl === undefined ? {} : { statusUrl: `${publicUrl}/webhooks/${name}/status` };
    const publicly = publicUrl === undefined ? {} : { publicUrl };
    channel.open?.({ name, secrets, nowMs: clock.nowMs, ...publicly, ...statusUrl });
  }
}

function requireOwnAddresses(channels: LullConfig["channels"]): void {
  const problem = addressProblem(channels);
  if (problem !== undefined) throw new ConfigError(problem);
}

/** On the named channel, or on the one that the customer last used, or on any of the conversation's type that has its address. */
async function say(
  engine: Engine,
  channels: LullConfig["channels"],
  settings: Settings,
  { conversationId, text, author, id = randomUUID(), channel: wanted }: SayRequest,
): Promise<"staged" | "duplicate" | "not-found"> {
  const detail = await engine.inspector.conversation(conversationId, SAYING_LIMITS);
  if (!detail) return "not-found";
  const { conversation, staged, turns, lock } = detail;
  if ((lock?.staged ?? 0) >= settings.stagedMessagesMax) throw tooManyStaged(settings.stagedMessagesMax);
  const lastUsed = staged.at(-1)?.channel ?? turns.findLast(({ channel }) => channels[channel])?.channel;
  const ofType = Object.keys(channels).find(
    (name) =>
      channels[name]?.type === conversation.channelType && mayBring(channels, name, conversation.address),
  );
  const name = wanted ?? lastUsed ?? ofType;
  const channel = name === undefined ? undefined : channels[name];
  if (!channel || name === undefined) {
    throw new ConfigError(
      `no channel of type ${conversation.channelType} for our address ${conversation.address} is configured`,
    );
  }
  const addressee = addresseeOf(conversation, await engine.inspector.names(conversation));
  if (addressee === undefined) throw passedOn();
  const to = String(channel.addressOf?.(addressee) ?? addressee);
  const texts = replyTexts({ texts: [text] }, channel.textMax, settings);
  return engine.conversations.say({ id, conversationId, channel: name, to, addressee, texts, author });
}

function tooManyStaged(max: number): LullError {
  return new LullError(`${max} messages wait in this conversation already`, {
    code: "RATE_LIMITED",
    retry: "later",
    retryAfterMs: FULL_RETRY_MS,
  });
}

async function answerTurn(
  engine: Engine,
  channels: LullConfig["channels"],
  settings: Settings,
  turnId: string,
  reply: FullReply,
): Promise<"accepted" | "stale"> {
  const answer = readReply(reply);
  if (answer.kind === "later") return "stale";
  // Its channel is known to the store only; the shortest limit of all fits every one.
  const textMax = Math.min(...Object.values(channels).map((channel) => channel.textMax));
  const { texts, media, usage, complete, handOff } = answer;
  return engine.conversations.answer({
    turnId,
    texts: replyTexts({ texts, media }, textMax, settings),
    ...(media.length > 0 && { media }),
    ...(usage && { usage }),
    ...(complete !== undefined && { complete }),
    ...(handOff !== undefined && { handOff }),
  });
}
