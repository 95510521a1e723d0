import { STRANGERS_REFUSALS_PER_MINUTE_MAX } from "../core/defaults.ts";
import { addressProblem } from "../core/own-addresses.ts";
import { ConfigError } from "../errors.ts";
import { processIdentity } from "../process/identity.ts";
import { environmentSecrets } from "../secrets/secrets.ts";
import { within } from "../wire/deadline.ts";
import { catchUp } from "./catch-up.ts";
import { ChannelFitness } from "./channel-fitness.ts";
import { type LullConfig, publicUrlIn, settingsFrom } from "./config.ts";
import { createConversation } from "./create-conversation.ts";
import { answerLate } from "./late-answer.ts";
import { Lifecycle } from "./lifecycle.ts";
import { safely } from "./log-privacy.ts";
import { Readiness } from "./readiness.ts";
import { receive } from "./receive.ts";
import type { ReceiveContext } from "./receive-context.ts";
import { RecordPace } from "./record-pace.ts";
import { SampledLog } from "./sampled-log.ts";
import { say } from "./say.ts";
import { senderLimit } from "./sender-limit.ts";
import type { Service, ServiceFacts } from "./service.ts";
import { Sweeper } from "./sweeper.ts";
import { systemClock } from "./system-clock.ts";
import type { UseCaseContext } from "./use-case.ts";
import { warnings } from "./warnings.ts";
import { Worker } from "./worker.ts";

const BUSY_TEXT = "I was still answering and did not read this message. Please send it again.";

/**
 * Puts core, engine, channels and responders together. Nothing runs until `start`, nothing is opened until it
 * is needed.
 */
export function createService(config: LullConfig): Service {
  const facts = factsFrom(config);
  openChannels(facts);
  const { settings, clock, sampled } = facts;
  const fitness = new ChannelFitness(facts.channels);
  const lifecycle = lifecycleOf(config, facts);
  const engine = () => lifecycle.engine();
  const readiness = new Readiness(clock, () =>
    within(clock, settings.receiveTimeoutMs, async () => {
      const opened = await engine();
      await (opened.probe?.() ?? opened.ping());
    }),
  );
  const context: UseCaseContext = { settings, channels: facts.channels, engine };
  const receiving = receiveContextOf(config, facts, { context, fitness });
  const saying: Service["say"] = (request) => say(context, request);
  return {
    ...facts,
    engine,
    receive: (name, request) => receive(receiving, name, request),
    createConversation: (request, made) => createConversation({ ...context, say: saying }, request, made),
    catchUp: (request) => catchUp(receiving, request),
    say: saying,
    answerTurn: (turnId, reply) => answerLate(context, turnId, reply),
    ready: () => readiness.get(),
    wake: async (conversationId, time) => (await lifecycle.worker()).wake(conversationId, time),
    requireFit: (name) => (name === undefined ? fitness.requireAll() : fitness.require(name)),
    start: () =>
      lifecycle.start(async () => {
        await fitness.requireAll();
        readiness.forget();
      }),
    async stop(graceMs) {
      readiness.forget();
      await lifecycle.stop(graceMs);
      sampled.flush();
    },
  };
}

type Facts = ServiceFacts & { readonly sampled: SampledLog };

function factsFrom(config: LullConfig): Facts {
  const clock = config.clock ?? systemClock;
  const log = safely(config.log ?? warnings);
  return {
    settings: settingsFrom(config),
    channels: config.channels,
    publicUrl: publicUrlIn(config),
    apiToken: config.apiToken,
    turnToken: config.turnToken,
    secrets: config.secrets ?? environmentSecrets(),
    log,
    sampled: new SampledLog(log, clock),
    workerId: config.workerId ?? processIdentity(),
    clock,
  };
}

function openChannels({ channels, secrets, publicUrl, clock }: ServiceFacts): void {
  for (const [name, channel] of Object.entries(channels)) {
    const publicly = publicUrl === undefined ? {} : { publicUrl };
    const statusUrl = publicUrl === undefined ? {} : { statusUrl: `${publicUrl}/webhooks/${name}/status` };
    channel.open?.({ name, secrets, nowMs: clock.nowMs, ...publicly, ...statusUrl });
  }
  const problem = addressProblem(channels);
  if (problem !== undefined) throw new ConfigError(problem);
}

function responderFor({ responders, respond }: LullConfig, channel: string) {
  return responders?.[channel] ?? respond;
}

function lifecycleOf(config: LullConfig, facts: Facts): Lifecycle {
  const { settings, clock, log, workerId } = facts;
  const random = config.random ?? Math.random;
  const { handOffTo } = config;
  return new Lifecycle({
    engine: (onArmed) => config.engine.open({ clock, settings, workerId, log, onArmed }),
    worker: (engine) =>
      new Worker({
        ...facts,
        engine,
        responderFor: (channel) => responderFor(config, channel),
        handOffTo,
        random,
      }),
    sweeper: ({ sweeping }) => new Sweeper(sweeping, clock, settings.sweepMs, random, log),
  });
}

function receiveContextOf(
  config: LullConfig,
  { log, sampled, clock, settings }: Facts,
  { context, fitness }: { readonly context: UseCaseContext; readonly fitness: ChannelFitness },
): ReceiveContext {
  const { senderPerMinuteMax, visitorPerMinuteMax } = settings;
  return {
    ...context,
    fitness,
    log,
    sampled,
    clock,
    hasResponder: (channel) => responderFor(config, channel) !== undefined,
    senderLimit: senderLimit(senderPerMinuteMax),
    visitorLimit: senderLimit(senderPerMinuteMax || visitorPerMinuteMax),
    unsignedRecords: new RecordPace(STRANGERS_REFUSALS_PER_MINUTE_MAX),
    busyText: config.busyText ?? BUSY_TEXT,
  };
}
