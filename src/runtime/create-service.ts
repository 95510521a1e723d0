import { catchUp } from "./catch-up.ts";
import { ChannelFitness } from "./channel-fitness.ts";
import type { LullConfig } from "./config.ts";
import { createConversation } from "./create-conversation.ts";
import { answerLate } from "./late-answer.ts";
import { Lifecycle } from "./lifecycle.ts";
import { openChannels } from "./open-channels.ts";
import { operating } from "./operating.ts";
import { receive } from "./receive.ts";
import { receiveContext } from "./receive-context.ts";
import { responderFor } from "./responder-for.ts";
import { say } from "./say.ts";
import type { Service } from "./service.ts";
import { factsFrom } from "./service-facts.ts";
import { sweepingAndAsking } from "./store-state.ts";
import { Sweeper } from "./sweeper.ts";
import { Worker } from "./worker.ts";

/**
 * Puts core, engine, channels and responders together. Nothing runs until `start`, nothing is opened until it
 * is needed.
 */
export function createService(config: LullConfig): Service {
  const facts = factsFrom(config);
  openChannels(facts);
  const { settings, channels, clock, log, workerId } = facts;
  const fitness = new ChannelFitness(channels);
  const answering = { ...facts, responderFor: responderFor(config), handOffTo: config.handOffTo };
  const lifecycle = new Lifecycle({
    ...facts,
    fitness,
    engine: (onArmed) => config.engine.open({ clock, settings, holder: workerId, log, onArmed }),
    worker: (engine) => new Worker({ ...answering, engine }),
    sweeper: (engine) => new Sweeper(sweepingAndAsking(engine, facts.store), facts),
  });
  const engine = () => lifecycle.engine();
  const context = { settings, channels, engine };
  const receiving = receiveContext({ ...answering, engine, fitness });
  const saying: Service["say"] = (request) => say(context, request);
  // What callers of the service may know; its dice and its memory of failures are its own.
  const { random: _, retries: __, store: ___, ...known } = facts;
  return {
    ...known,
    ...operating({ ...context, log }),
    engine,
    receive: (name, request) => receive(receiving, name, request),
    createConversation: (request, made) => createConversation({ ...context, say: saying }, request, made),
    catchUp: (request) => catchUp(receiving, request),
    say: saying,
    answerTurn: (turnId, reply) => answerLate(context, turnId, reply),
    ready: () => lifecycle.ready(),
    wake: async (id, within, source) => (await lifecycle.worker()).wake(id, within, source),
    requireFit: (name) => fitness.require(name),
    start: () => lifecycle.start(),
    stop: (graceMs) => lifecycle.stop(graceMs),
  };
}
