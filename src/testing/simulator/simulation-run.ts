import { StoreUnavailable } from "../../errors.ts";
import type { LogFields } from "../../model/log.ts";
import type { DeliveryStatus } from "../../model/message.ts";
import type { Taken, TakeOutcome } from "../../model/take.ts";
import type { EngineProvider, SweepReport } from "../../ports/engine.ts";
import type { Responder } from "../../ports/responder.ts";
import type { LullConfig } from "../../runtime/config.ts";
import { createService } from "../../runtime/create-service.ts";
import type { Service } from "../../runtime/service.ts";
import { aroundEngine } from "../around-engine.ts";
import { FaultyPeers } from "./faulty-peers.ts";
import { History } from "./history.ts";
import type { FaultKind, Plan, PlannedFault, PlannedMessage, RequestName, StepName } from "./plan.ts";
import { STEPS } from "./plan.ts";
import { SimulatedProvider, simulatedChannel } from "./provider.ts";
import { type Random, seeded } from "./random.ts";
import { type Process, Scheduler } from "./scheduler.ts";

const START_AT_MS = Date.UTC(2026, 0, 1);
/** Long enough for a lease to lapse while a process is frozen. */
const FREEZE_MS = 9_000;
const RESTART_MS = 1_500;
const REDELIVERY_MS = 2_000;
/** A store that says nothing: longer than a lease, and then the call's own deadline. */
const SILENT_MS = 8_000;
/** How long a process may stand still before its parent kills it. */
const WATCHDOG_MS = 4_000;
const HOUR = 3_600_000;

/** Short times, in the proportions of the real ones: a day of faults fits into a minute. */
export const LIMITS = {
  leaseSeconds: 6,
  sendTimeoutSeconds: 2,
  settleSeconds: 3,
  answerTimeoutSeconds: 8,
  sweepSeconds: 4,
  graceSeconds: 2,
  backoffSeconds: 0.3,
  backoffSecondsMax: 2,
  restartPollSeconds: 0.5,
  pollSeconds: 3,
  attemptsMax: 5,
  retryForSeconds: 60,
  failureTextAfterSeconds: 2,
} as const;

/** What customers are told whose answer is late or will not come. */
const FAILURE_TEXT = "it takes longer";

interface Running {
  readonly process: Process;
  readonly service: Service;
}

/** What an engine gets of the run that it is made for. */
export interface EngineRun {
  readonly seed: number;
  /** The true time, whatever the clocks of the processes say. */
  readonly nowMs: () => number;
  /** Calls it when the power of all machines is cut: what was not synced by then is forgotten. */
  readonly onPowerCut: (forget: () => void) => void;
  /** A request of an engine that makes several for a step: the plan decides what it meets. */
  readonly request: <T>(holder: string, name: RequestName, call: () => Promise<T>) => Promise<T>;
}

/**
 * One run: several workers on one store, customers, a provider, and the faults that the plan has for them.
 */
export class SimulationRun {
  readonly plan: Plan;
  readonly history: History;
  readonly provider: SimulatedProvider;
  readonly scheduler: Scheduler;
  readonly hits: PlannedFault[] = [];
  readonly #engine: EngineProvider;
  readonly #random: Random;
  readonly #outside: FaultyPeers;
  readonly #running = new Map<string, Running>();
  readonly #processes = new Map<string, Process>();
  readonly #reached = new Map<StepName, number>();
  readonly #waiting: Set<PlannedFault>;
  /** The newest take of a turn in a process: what it sends, it sends under that lease. */
  readonly #newest = new Map<string, Taken>();
  readonly #powerCuts: (() => void)[] = [];
  #observer: Service | undefined;
  #undelivered: number;
  #deliveries = 0;
  #started = 0;
  #skewMs = 0;
  #faultsAreOver = false;

  constructor(plan: Plan, engine: (run: EngineRun) => EngineProvider, respond: Responder) {
    this.plan = plan;
    const nowMs = () => this.scheduler.nowMs;
    this.#engine = engine({
      seed: plan.seed,
      nowMs,
      onPowerCut: (forget) => void this.#powerCuts.push(forget),
      request: (...given) => this.#request(...given),
    });
    this.#random = seeded(plan.seed ^ 0x5bd1e995);
    this.scheduler = new Scheduler(this.#random, START_AT_MS);
    this.history = new History(nowMs);
    this.provider = new SimulatedProvider(() => nowMs() + (plan.providerAheadMs ?? 0));
    this.#waiting = new Set(plan.faults);
    this.#undelivered = plan.messages.length;
    this.#outside = new FaultyPeers({
      plan,
      history: this.history,
      provider: this.provider,
      scheduler: this.scheduler,
      random: this.#random,
      startAtMs: START_AT_MS,
      respond,
      faultAt: (process, step) => this.#faultAt(process, step),
      disturb: (process, fault, when) => this.#disturb(process, fault, when),
      crash: (process) => this.#crash(process),
      latencyMs: () => this.#latencyMs(),
      recordDelivery: (status) => this.#recordDelivery(status),
      tokenOf: (process, turnId) => this.#newest.get(`${process.id}/${turnId}`)?.lease.token ?? "",
      areFaultsOver: () => this.#faultsAreOver,
    });
  }

  /** A service without faults, to look at what is stored; after a power cut another one. */
  observer(): Service {
    const process = { id: "observer", isDead: false, frozenUntilMs: 0, skewMs: 0 };
    this.#observer ??= this.#serviceOn(process, this.#engine);
    return this.#observer;
  }

  get allDelivered(): boolean {
    return this.#undelivered === 0;
  }

  /** When the last of those that live is, or was, no longer frozen. */
  get frozenUntilMs(): number {
    return Math.max(0, ...[...this.#running.values()].map(({ process }) => process.frozenUntilMs));
  }

  begin(): void {
    for (let n = 0; n < this.plan.workers; n += 1) this.#startProcess();
    for (const message of this.plan.messages) {
      for (const [n, atMs] of [message.atMs, ...message.againAtMs].entries()) {
        const isFirst = n === 0;
        this.scheduler.at(START_AT_MS + atMs, undefined, () => void this.#deliver(message, isFirst));
      }
    }
    for (const atMs of this.plan.strayWakeUpsAtMs) {
      this.scheduler.at(START_AT_MS + atMs, undefined, () => void this.#strayWakeUp());
    }
  }

  /** From now on nothing goes wrong: everything has to heal by itself. */
  endFaults(): void {
    this.#faultsAreOver = true;
    this.history.add({ kind: "note", text: "no more faults" });
  }

  #startProcess(): void {
    this.#started += 1;
    const process: Process = {
      id: `worker-${this.#started}`,
      isDead: false,
      frozenUntilMs: 0,
      skewMs: this.#skewMs,
    };
    this.#processes.set(process.id, process);
    const service = this.#serviceOn(process, this.#faultyEngine(process));
    this.#running.set(process.id, { process, service });
    this.history.add({ kind: "started", process: process.id });
    service.start().catch(() => this.#crash(process));
  }

  #serviceOn(process: Process, engine: EngineProvider): Service {
    const { window, whileBusy, onUnknown, batchMessagesMax, canReconcile, failureText } = this.plan;
    const config: LullConfig = {
      engine,
      channels: {
        sim: simulatedChannel(
          (outgoing, signal) => this.#outside.send(process, outgoing, signal),
          canReconcile ? (query) => this.#outside.reconcile(process, query) : undefined,
        ),
      },
      window,
      whileBusy,
      onUnknown,
      ...(failureText && { failureText: FAILURE_TEXT }),
      limits: { ...LIMITS, batchMessagesMax },
      respond: (turn) => this.#outside.ask(process, turn),
      clock: this.scheduler.clockOf(process),
      random: this.#random.next,
      workerId: process.id,
      log: (_level, event, fields) => this.#heard(process, event, fields),
    };
    return createService(config);
  }

  /**
   * Every call to the store takes its time, may meet a fault, and may find its process dead when it is done.
   */
  #faultyEngine(process: Process): EngineProvider {
    return aroundEngine(this.#engine, () => async (name, _input, call) => {
      const step = STEPS.find((each) => each === name);
      if (step === undefined) return call();
      const sweptFromMs = this.scheduler.nowMs;
      const result = await this.#through(process, step, call);
      for (const outcome of takenIn(name, result)) this.#noteTaken(process, outcome);
      const orphans = name === "sweeping.sweep" ? (result as SweepReport).orphans.length : 0;
      if (orphans > 0) this.history.add({ kind: "orphans", count: orphans, sweptFromMs });
      return result;
    });
  }

  #noteTaken(process: Process, outcome: TakeOutcome): void {
    if (outcome.kind !== "turn") return;
    const { taken } = outcome;
    const key = `${process.id}/${taken.turnId}`;
    // By the time of taking: an older take may be heard of later.
    if ((this.#newest.get(key)?.takenAtMs ?? 0) <= taken.takenAtMs) this.#newest.set(key, taken);
    this.history.add({ kind: "taken", taken, holder: process.id });
  }

  async #through<T>(process: Process, step: StepName, call: () => Promise<T>): Promise<T> {
    const way = () => this.scheduler.delay(process, this.#latencyMs());
    await way();
    return this.#meet(process, this.#faultAt(process, step), call, way);
  }

  /** A request inside a step: the engine says how long it takes. */
  async #request<T>(holder: string, name: RequestName, call: () => Promise<T>): Promise<T> {
    const process = this.#processes.get(holder);
    const fault = process && this.#faultAt(process, name);
    return process && fault ? this.#meet(process, fault, call, async () => {}) : call();
  }

  async #meet<T>(
    process: Process,
    fault: FaultKind | undefined,
    call: () => Promise<T>,
    wayBack: () => Promise<void>,
  ): Promise<T> {
    await this.#disturb(process, fault, "before");
    if (fault === "error-before") throw new StoreUnavailable("simulated");
    if (fault === "silent") return this.#silence(process, call);
    const result = await call();
    await this.#disturb(process, fault, "after");
    await wayBack();
    if (fault === "error-after") throw new StoreUnavailable("simulated");
    return result;
  }

  /**
   * The store does not answer until the call's own deadline; the write may have been done all the same,
   * sooner or later.
   */
  async #silence(process: Process, call: () => Promise<unknown>): Promise<never> {
    const doneAfterMs = this.#random.pick([0, SILENT_MS / 2, SILENT_MS]);
    await this.scheduler.delay(process, doneAfterMs);
    if (this.#random.chance(0.5)) await call().catch(() => {});
    await this.scheduler.delay(process, SILENT_MS - doneAfterMs);
    throw new StoreUnavailable("simulated: no answer in time");
  }

  /** The fault that the plan has for this visit of the step, if any. */
  #faultAt(process: Process, step: StepName): FaultKind | undefined {
    const visit = (this.#reached.get(step) ?? 0) + 1;
    this.#reached.set(step, visit);
    if (this.#faultsAreOver) return undefined;
    const planned = [...this.#waiting].find((each) => each.step === step && each.nth <= visit);
    if (!planned) return undefined;
    this.#waiting.delete(planned);
    this.hits.push(planned);
    this.history.add({ kind: "fault", step, fault: planned.kind, process: process.id });
    return planned.kind;
  }

  async #disturb(process: Process, fault: FaultKind | undefined, when: "before" | "after"): Promise<void> {
    if (fault === `crash-${when}`) {
      this.#crash(process);
      await new Promise(() => {});
    }
    if (fault === `freeze-${when}`) {
      process.frozenUntilMs = this.scheduler.nowMs + FREEZE_MS;
      await this.scheduler.delay(process, 0);
    }
    if (fault === "clock-jump" && when === "before")
      this.#moveClock(this.#random.pick([-1_000, 1_500, 8_000]));
    if (fault === "clock-set-back" && when === "before") this.#moveClock(-HOUR);
    if (fault === "power-cut" && when === "before") {
      for (const { process: each } of [...this.#running.values()]) this.#crash(each);
      this.#observer = undefined;
      for (const forget of this.#powerCuts) forget();
      await new Promise(() => {});
    }
    if (fault === "blocks" && when === "before") await this.#block(process);
  }

  /** One machine, one clock: it moves for every process on it. */
  #moveClock(byMs: number): void {
    this.#skewMs += byMs;
    for (const { process } of this.#running.values()) process.skewMs = this.#skewMs;
  }

  /** Its event loop stands still, for webhooks, renewals and sends alike, until its parent ends it. */
  async #block(process: Process): Promise<never> {
    process.frozenUntilMs = Number.POSITIVE_INFINITY;
    this.scheduler.at(this.scheduler.nowMs + WATCHDOG_MS, undefined, () => this.#crash(process));
    return new Promise(() => {});
  }

  #heard(process: Process, event: string, fields: LogFields = {}): void {
    if (event !== "send.late") return;
    const { turn, chunk } = fields;
    this.history.add({ kind: "told-late", turn: String(turn), chunk: Number(chunk), process: process.id });
  }

  #latencyMs(): number {
    return this.#random.chance(0.8) ? this.#random.below(5) : this.#random.below(200);
  }

  #crash(process: Process): void {
    if (process.isDead) return;
    process.isDead = true;
    this.#running.delete(process.id);
    this.history.add({ kind: "crashed", process: process.id });
    this.#outside.landFlightsOf(process);
    this.scheduler.at(this.scheduler.nowMs + this.#random.below(RESTART_MS), undefined, () =>
      this.#startProcess(),
    );
    // A supervisor that saw it die frees its leases; without one they lapse.
    if (this.#random.chance(0.5)) {
      this.scheduler.at(
        this.scheduler.nowMs + this.#random.below(300),
        undefined,
        () => void this.#free(process),
      );
    }
  }

  async #free(dead: Process): Promise<void> {
    const engine = await this.#anyWorker()?.service.engine();
    await engine?.sweeping.freeLeases(dead.id).catch(() => {});
  }

  #anyWorker(): Running | undefined {
    const alive = [...this.#running.values()];
    return alive.length === 0 ? undefined : this.#random.pick(alive);
  }

  /** The provider posts a message, and again until a worker acknowledges it. */
  async #deliver(message: PlannedMessage, isFirst: boolean): Promise<void> {
    const { id } = message;
    const receiver = this.#anyWorker();
    const again = () =>
      this.scheduler.at(
        this.scheduler.nowMs + this.#random.below(REDELIVERY_MS),
        undefined,
        () => void this.#deliver(message, isFirst),
      );
    if (!receiver) return void again();
    const customer = `customer-${message.customer}`;
    this.#deliveries += 1;
    const delivery = { message: id, delivery: this.#deliveries };
    this.history.add({ kind: "arrived", ...delivery, customer, process: receiver.process.id });
    const inbound = {
      providerId: id,
      account: "a",
      address: "us",
      sender: customer,
      replyTo: customer,
      text: id,
      media: [],
    };
    const body = Buffer.from(JSON.stringify(inbound));
    const answered = receiver.service
      .receive("sim", { method: "POST", url: "http://sim/", headers: {}, body })
      .then(({ status }) => status);
    const status = await Promise.race([answered, this.#whenDead(receiver.process)]);
    if (status === 200) this.history.add({ kind: "acknowledged", ...delivery });
    else if (status === 409) this.history.add({ kind: "refused", ...delivery, status });
    else {
      this.history.add({ kind: "unanswered", ...delivery });
      return void again();
    }
    if (isFirst) this.#undelivered -= 1;
  }

  /** A connection to a process that died. */
  async #whenDead(process: Process): Promise<number> {
    for (;;) {
      await this.scheduler.delay(undefined, 500);
      if (process.isDead) return 0;
    }
  }

  /** A delivery status, to any worker that is alive. */
  async #recordDelivery(status: DeliveryStatus): Promise<void> {
    const engine = await this.#anyWorker()?.service.engine();
    await engine?.receiving.recordDelivery("sim", status).catch(() => {});
  }

  async #strayWakeUp(): Promise<void> {
    const worker = this.#anyWorker();
    const conversation = this.history.of("taken").at(-1)?.taken.lease.conversationId;
    if (conversation !== undefined) await worker?.service.wake(conversation).catch(() => {});
  }
}

/** Turns that a call to the store handed out. */
function takenIn(name: string, result: unknown): TakeOutcome[] {
  if (name === "turns.takeDue") return [...(result as { outcomes: TakeOutcome[] }).outcomes];
  if (name === "turns.take") return [result as TakeOutcome];
  const next = name === "turns.commit" ? (result as { next?: TakeOutcome }).next : undefined;
  return next ? [next] : [];
}
