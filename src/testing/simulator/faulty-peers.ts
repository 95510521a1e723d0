import { StoreUnavailable } from "../../errors.ts";
import type { DeliveryStatus } from "../../model/message.ts";
import type { Outgoing, ReconcileOutcome, ReconcileQuery, SendOutcome } from "../../ports/channel.ts";
import type { Responder } from "../../ports/responder.ts";
import type { History } from "./history.ts";
import type { FaultKind, Plan, PlannedOutage, StepName } from "./plan.ts";
import type { SimulatedProvider } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** Less than send timeout and settle time together. */
const LATE_MS = 4_500;
/** Less than the settle time: by then the provider has, and lists, what a dead sender had sent. */
const SETTLED_MS = 2_900;
const SLOW_MS = 7_000;
/** Less than a question may take. */
const SLOW_LIST_MS = 1_900;

/** What stands around the processes of a run. */
export interface Scenery {
  readonly plan: Plan;
  readonly history: History;
  readonly provider: SimulatedProvider;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly startAtMs: number;
  readonly respond: Responder;
}

export interface Surroundings extends Scenery {
  readonly faultAt: (process: Process, step: StepName) => FaultKind | undefined;
  readonly disturb: (
    process: Process,
    fault: FaultKind | undefined,
    when: "before" | "after",
  ) => Promise<void>;
  readonly crash: (process: Process) => void;
  readonly latencyMs: () => number;
  readonly recordDelivery: (status: DeliveryStatus) => Promise<void>;
  /** The token under which a process sends now. */
  readonly tokenOf: (process: Process, turnId: string) => string;
  readonly areFaultsOver: () => boolean;
}

/** A request on its way to the provider, out of its sender's hands. */
interface Flight {
  readonly process: Process;
  readonly land: () => void;
  /** By then the provider has it and lists it: a send that is over settles in time. */
  settledByMs: number;
}

/** Responder and provider, with the faults that the plan has for their callers. */
export class FaultyPeers {
  readonly #surroundings: Surroundings;
  readonly #flights: Flight[] = [];

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  async ask(process: Process, turn: Parameters<Responder>[0]): Promise<Awaited<ReturnType<Responder>>> {
    const { plan, history, scheduler, random, faultAt, disturb, respond } = this.#surroundings;
    const messages = turn.messages.map(({ text }) => text);
    const arrivals = turn.messages.map(({ arrivedAtMs }) => arrivedAtMs);
    history.add({ kind: "asked", turn: turn.id, attempt: turn.attempt, messages, arrivals });
    const outage = this.#outage("responder");
    if (outage?.how === "silent") return new Promise(() => {});
    if (outage) throw Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });
    const fault = faultAt(process, "respond");
    await disturb(process, isPoison(plan, messages) ? "crash-before" : fault, "before");
    await scheduler.delay(process, fault === "slow" ? SLOW_MS : random.below(1_500));
    if (fault === "fails") throw new Error("the model is down");
    if (fault === "fails-for-good")
      throw Object.assign(new StoreUnavailable("no such model"), { retry: "never" });
    if (fault === "never-returns") return new Promise(() => {});
    await disturb(process, fault, "after");
    const reply = await respond(turn);
    if (plan.chunks === 1 || typeof reply !== "string") return reply;
    return [reply, `${reply} (2)`];
  }

  async send(process: Process, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const { scheduler, faultAt, disturb, latencyMs, tokenOf } = this.#surroundings;
    const outage = this.#outage("sending");
    if (outage?.how === "silent") return new Promise(() => {});
    if (outage) return { kind: "not-sent", retry: "later", why: "connection refused" };
    // A sender uses the token that it has now; another worker may hold a newer one when the message arrives.
    const token = tokenOf(process, outgoing.reference.turnId);
    const arrive = (listedByMs?: number) => this.#arrive(process, outgoing, token, listedByMs);
    const fault = faultAt(process, "send");
    await disturb(process, fault, "before");
    await scheduler.delay(process, latencyMs());
    switch (fault) {
      case "not-sent":
        return { kind: "not-sent", retry: "later", why: "connection refused" };
      case "too-many":
        return { kind: "not-sent", retry: "later", retryAfterMs: 1_000, why: "429" };
      case "not-sent-for-good":
        return { kind: "not-sent", retry: "never", why: "opted out" };
      case "never-arrives":
        return new Promise(() => {});
      case "arrives-late":
        void this.#onItsWay(process, arrive);
        return new Promise(() => {});
      case "accepts-slowly": {
        const slow = await this.#onItsWay(process, arrive);
        await scheduler.delay(process, latencyMs());
        return { kind: "sent", providerId: slow };
      }
      case "crash-in-flight":
        void this.#onItsWay(process, arrive);
        this.#surroundings.crash(process);
        return new Promise(() => {});
      case "freeze-at-socket":
        await disturb(process, "freeze-before", "before");
        return { kind: "sent", providerId: arrive() };
      default:
        break;
    }
    if (signal.aborted) return { kind: "unknown", why: "aborted" };
    const providerId = arrive();
    await disturb(process, fault, "after");
    if (fault === "answer-lost") return { kind: "unknown", why: "read timeout" };
    await scheduler.delay(process, latencyMs());
    return { kind: "sent", providerId };
  }

  async reconcile(process: Process, query: ReconcileQuery): Promise<ReconcileOutcome> {
    const { plan, scheduler, random, faultAt, disturb, latencyMs, provider, history } = this.#surroundings;
    const { turnId: turn, chunk } = query.reference;
    history.add({ kind: "asked-about", turn, chunk });
    const outage = this.#outage("asking");
    if (outage?.how === "silent") return new Promise(() => {});
    if (outage) throw new Error("the provider's API is down");
    const fault = faultAt(process, "reconcile");
    await disturb(process, fault, "before");
    await scheduler.delay(process, latencyMs());
    if (fault === "cannot-tell") return { kind: "cannot-tell", why: "simulated" };
    if (fault === "error-before") throw new Error("the provider's API is down");
    const found = provider.find(query, scheduler.nowMs + process.skewMs);
    await disturb(process, fault, "after");
    // The list may be out of date when the answer arrives.
    if (plan.listsLate) await scheduler.delay(process, random.below(SLOW_LIST_MS));
    return found;
  }

  /** A dead process sends no more: what it sent reaches the provider soon, or never. */
  landFlightsOf(dead: Process): void {
    const { scheduler, random } = this.#surroundings;
    for (const flight of this.#flights.filter(({ process }) => process === dead)) {
      flight.settledByMs = Math.min(flight.settledByMs, scheduler.nowMs + SETTLED_MS);
      const leftMs = Math.max(0, flight.settledByMs - scheduler.nowMs);
      scheduler.at(scheduler.nowMs + random.below(leftMs + 1), undefined, flight.land);
    }
  }

  #outage(who: PlannedOutage["who"]): PlannedOutage | undefined {
    const { plan, scheduler, startAtMs, areFaultsOver } = this.#surroundings;
    if (areFaultsOver()) return undefined;
    const atMs = scheduler.nowMs - startAtMs;
    return plan.outages?.find((each) => each.who === who && each.fromMs <= atMs && atMs < each.toMs);
  }

  /** Out of our hands, and accepted by the provider later, within the settle time. */
  #onItsWay(process: Process, arrive: (listedByMs: number) => string): Promise<string> {
    const { scheduler, random } = this.#surroundings;
    return new Promise((resolve) => {
      let isOver = false;
      const flight: Flight = {
        process,
        settledByMs: scheduler.nowMs + LATE_MS,
        land() {
          if (!isOver) resolve(arrive(flight.settledByMs));
          isOver = true;
        },
      };
      this.#flights.push(flight);
      scheduler.at(scheduler.nowMs + random.below(LATE_MS), undefined, flight.land);
    });
  }

  #arrive(process: Process, outgoing: Outgoing, token: string, listedByMs?: number): string {
    const { plan, provider, history, scheduler, random } = this.#surroundings;
    const sent = provider.take(outgoing, this.#lagMs(listedByMs));
    const { turnId: turn, chunk, to, providerId } = sent;
    history.add({ kind: "sent", turn, chunk, to, process: process.id, token });
    if (plan.callbacks) {
      const status = { account: "a", providerId, status: "delivered", chunk: { turnId: turn, chunk } };
      scheduler.at(
        scheduler.nowMs + random.below(3_000),
        undefined,
        () => void this.#surroundings.recordDelivery(status),
      );
    }
    return providerId;
  }

  /**
   * How long the list does not show it yet. Never longer than a send needs to settle, including a slow
   * acceptance.
   */
  #lagMs(listedByMs?: number): number {
    const { plan, scheduler, random } = this.#surroundings;
    // A moving clock shortens the time that a send has to settle.
    if (!plan.listsLate || plan.faults.some(({ kind }) => kind.startsWith("clock"))) return 0;
    // Its sender may die the moment after it was accepted: from there, too, it settles in time.
    const leftMs = listedByMs === undefined ? SETTLED_MS : Math.max(0, listedByMs - scheduler.nowMs) + 1;
    return random.below(Math.min(leftMs, SETTLED_MS));
  }
}

/** A message that kills every worker that answers it. */
function isPoison({ poison }: Plan, messages: readonly string[]): boolean {
  return poison !== undefined && messages.includes(poison);
}
