import type { Series } from "../model/series.ts";
import type { WebhookAnswer, WebhookRequest } from "../ports/channel.ts";
import type { Engine, TriggerSource } from "../ports/engine.ts";
import type { CatchUpRequest, CatchUpResult } from "./catch-up.ts";
import type { Operations } from "./operations.ts";
import type { Projects } from "./projects.ts";
import type { Proof } from "./proof.ts";
import type { ServiceFacts } from "./service-facts.ts";
import type { WakeOutcome, Within } from "./worker.ts";

/** What the edges (HTTP, Lambda, CLI) are given: the whole product behind one door. */
export interface Service extends ServiceFacts, Operations, Projects {
  engine(): Promise<Engine>;
  /** The same for one project: other projects' conversations are not there. */
  forProject(project: string): Operations;
  /**
   * For one webhook or status callback: verify, parse, stage, acknowledge. Never throws for bad input
   * or a failed store.
   */
  receive(channel: string, request: WebhookRequest): Promise<WebhookAnswer>;
  /** Asks a channel's provider what it received since then, and stages what is not there yet. */
  catchUp(request: CatchUpRequest): Promise<CatchUpResult>;
  /**
   * Rejects when a message could not be acknowledged now: the store cannot be written, does not answer in
   * time, or the service was stopped. An answer counts for a second.
   */
  ready(): Promise<void>;
  /** Says which service this is, to a caller that knows its store. */
  prove(word: string): Promise<Proof>;
  /**
   * What was counted, and what things look like now, by series: of all processes of the service. `/metrics`
   * is made of it.
   */
  metrics(): Promise<Series>;
  /** A wake-up for one conversation, from a queue or from anywhere: a worker looks, and the store decides. */
  wake(conversationId: string, within?: Within, source?: TriggerSource): Promise<WakeOutcome>;
  /**
   * Rejects when the channel must not be served as it is configured; without a name, when the service must
   * not: of several projects, one whose channels are unfit is refused alone. Receiving checks this by itself.
   */
  requireFit(channel?: string): Promise<void>;
  /** Starts taking turns and sweeping, also after a `stop`. Rejects when the store cannot be written. */
  start(): Promise<void>;
  /**
   * Takes no new work and acknowledges nothing more. Running turns finish within `graceMs` or release their
   * lease. Then the engine is closed.
   */
  stop(graceMs?: number): Promise<void>;
}
