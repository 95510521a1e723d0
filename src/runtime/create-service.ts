import { projectsInUse, withAddresses } from "../core/projects.ts";
import { arranged } from "./arranged.ts";
import { catchUp } from "./catch-up.ts";
import { ChannelFitness } from "./channel-fitness.ts";
import { checkConfig } from "./check-config.ts";
import type { LullConfig } from "./config.ts";
import { Lifecycle } from "./lifecycle.ts";
import { openChannels } from "./open-channels.ts";
import { operationsOver, withinProject } from "./operations.ts";
import { ProjectWatch, watching } from "./project-watch.ts";
import { projectsOver } from "./projects.ts";
import { proofOf } from "./proof.ts";
import { receive } from "./receive.ts";
import { receiveContext } from "./receive-context.ts";
import { handOffFor, responderFor } from "./responder-for.ts";
import type { Service } from "./service.ts";
import { factsFrom } from "./service-facts.ts";
import { measure } from "./service-metrics.ts";
import { sweepingAndAsking } from "./store-state.ts";
import { Sweeper } from "./sweeper.ts";
import { Worker } from "./worker.ts";

/**
 * Puts core, engine, channels and responders together. Nothing runs until `start`, nothing is opened until it
 * is needed.
 */
export function createService(config: LullConfig): Service {
  checkConfig(config);
  const all = arranged(config);
  const checked = factsFrom(config, all);
  openChannels(all, checked);
  const facts = { ...checked, settings: withAddresses(checked.settings, checked.channels) };
  const { settings, channels, clock, log, workerId } = facts;
  const projectOf = (channel: string) => all.get(channel)?.project;
  const fitness = new ChannelFitness({ channels, projectOf, clock, log });
  const answering = {
    ...facts,
    responderFor: responderFor(all, config.respond),
    handOffFor: handOffFor(all, config.handOffTo),
  };
  const watch = new ProjectWatch(log, projectsInUse(settings));
  const lifecycle = new Lifecycle({
    ...facts,
    fitness,
    engine: (onArmed) => config.engine.open({ clock, settings, holder: workerId, log, onArmed }),
    worker: (engine) => new Worker({ ...answering, engine }),
    sweeper: (engine) =>
      new Sweeper(watching(sweepingAndAsking(engine, facts.store), engine, { watch, clock, log }), facts),
  });
  const engine = () => lifecycle.engine();
  const context = { settings, channels, engine };
  const receiving = receiveContext({ ...answering, engine, fitness });
  // What callers of the service may know; its dice and its memory of failures are its own.
  const { random: _, retries: __, store: ___, startedAtMs, ...known } = facts;
  return {
    ...known,
    ...operationsOver({ ...context, log }),
    engine,
    ...projectsOver({ ...context, watch }),
    forProject: (project) => operationsOver({ ...withinProject(context, project), log }),
    receive: (name, request) => receive(receiving, name, request),
    catchUp: (request) => catchUp(receiving, request),
    ready: () => lifecycle.ready(),
    prove: async (word) => proofOf(await engine(), startedAtMs, word),
    metrics: () => measure({ ...known, startedAtMs, engine, partOf: config.partOf }),
    wake: async (id, within, source) => (await lifecycle.worker()).wake(id, within, source),
    requireFit: (name) => fitness.require(name),
    start: () => lifecycle.start(),
    stop: (graceMs) => lifecycle.stop(graceMs),
  };
}
