import { toldOfDeadLetter } from "../core/dead-letters.ts";
import { cutTo, type Times } from "../core/projects.ts";
import { tellable } from "../errors.ts";
import type { DeadLettered, Taken, TakeOutcome, TakeResult } from "../model/take.ts";
import type { TriggerSource } from "../ports/engine.ts";
import { sayOfDeadLetters } from "./failure-text.ts";
import { RepeatedFailures } from "./repeated-failures.ts";
import { putBack, runTurn } from "./run-turn.ts";
import { Suspects, setAside } from "./suspects.ts";
import { aboutTurn } from "./turn-end.ts";
import type { TurnContext, TurnEnd } from "./turn-run.ts";

/** An abort without a reason makes an error with a stack that is never read. */
const WOKEN = "woken";

/**
 * The time of the caller that woke a worker, where it is shorter than the worker's own: a function is killed
 * at its deadline.
 */
export interface Within {
  /** Aborts when running turns have to be released. */
  readonly stopping: AbortSignal;
  /** What a turn may take at most to end before that. */
  readonly limits: Times;
}

/** `abandoned`: the store failed during the turn, and the next look at the conversation is not arranged. */
export type WakeOutcome = TakeOutcome["kind"] | "abandoned";

/**
 * Takes turns: as many at once as `concurrency` allows, each conversation at most once.
 *
 *   look for due work -> start a turn for each -> sleep until the next due time, a poll, a nudge or, if all
 *   are taken, a free place
 */
export class Worker {
  readonly #context: Omit<TurnContext, "stopping">;
  readonly #running = new Set<Promise<unknown>>();
  /** What customers are told of turns that were given up, on its way to the store. */
  readonly #saying = new Set<Promise<void>>();
  readonly #suspects = new Suspects();
  readonly #lookFailures = new RepeatedFailures();
  readonly #looking = new AbortController();
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #sleepsUntilAtMs = 0;
  /** All places are taken: the next look waits for the end of a turn. */
  #awaitsPlace = false;
  #nudge: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #loop: Promise<void> | undefined;

  constructor(context: Omit<TurnContext, "stopping">) {
    this.#context = context;
  }

  start(): void {
    this.#loop ??= this.#lookForWork();
  }

  /** Something will be due at that time: no need to wait for the next poll. */
  nudge(atMs: number): void {
    const { clock } = this.#context;
    if (atMs >= this.#sleepsUntilAtMs || this.#looking.signal.aborted) return;
    this.#sleepsUntilAtMs = atMs;
    // The earliest moment is enough: the worker that looks then learns of the others from the store.
    if (this.#nudge && this.#nudge.atMs <= atMs) return;
    this.#nudge?.cancel();
    const cancel = clock.after(Math.max(0, atMs - clock.nowMs()), () => {
      this.#nudge = undefined;
      this.#wake.abort(WOKEN);
    });
    this.#nudge = { atMs, cancel };
  }

  /**
   * A wake-up for one conversation: look, nothing more. Resolves when the turn that it led to, if any, is
   * over.
   */
  async wake(conversationId: string, within?: Within, source?: TriggerSource): Promise<WakeOutcome> {
    const outcome = await this.#context.engine.turns.take(conversationId, source);
    this.#tellTookOver(outcome);
    const isAside = outcome.kind === "turn" && !this.#admits(outcome.taken);
    if (isAside) this.#tell(outcome);
    const end = await (isAside ? setAside(this.#context, outcome.taken) : this.#begin(outcome, within));
    // A function stands still as soon as its caller has an answer.
    await Promise.all(this.#saying);
    return end && isAbandoned(end) ? "abandoned" : outcome.kind;
  }

  /** No new work. Running turns may finish within `graceMs`; then they release their lease. */
  async stop(graceMs: number): Promise<void> {
    this.#looking.abort();
    this.#nudge?.cancel();
    this.#wake.abort(WOKEN);
    await this.#loop;
    const over = new AbortController();
    const grace = this.#context.clock.sleep(graceMs, over.signal).then(() => this.#stopping.abort());
    while (this.#running.size > 0) await Promise.race(this.#running);
    await Promise.all(this.#saying);
    over.abort();
    await grace;
  }

  async #lookForWork(): Promise<void> {
    while (!this.#looking.signal.aborted) {
      this.#wake = new AbortController();
      const untilAtMs = await this.#look();
      const nowMs = this.#context.clock.nowMs();
      if (untilAtMs > nowMs && !this.#looking.signal.aborted) {
        this.#sleepsUntilAtMs = untilAtMs;
        await this.#context.clock.sleep(untilAtMs - nowMs, this.#wake.signal);
      }
    }
  }

  /** Starts what is due. Returns when to look again. */
  async #look(): Promise<number> {
    const { clock, engine, settings, log } = this.#context;
    const pollAtMs = () => clock.nowMs() + settings.pollMs;
    const free = settings.concurrency - this.#running.size;
    this.#awaitsPlace = free <= 0;
    if (this.#awaitsPlace) return pollAtMs();
    // While the store is asked, a nudge has to win over the answer to come.
    this.#sleepsUntilAtMs = Number.POSITIVE_INFINITY;
    try {
      const askedAtMs = clock.nowMs();
      const { outcomes, nextAtMs } = await engine.turns.takeDue(free, this.#looking.signal);
      await this.#beginAll(outcomes);
      // Compared with when it was asked: what became due while the store answered was not in its answer.
      const isLater = nextAtMs !== undefined && nextAtMs > askedAtMs;
      // The store had more than there were places for, or does not say that the rest is due later.
      if (outcomes.length >= free || (outcomes.length > 0 && !isLater)) return clock.nowMs();
      return isLater ? Math.min(nextAtMs, pollAtMs()) : pollAtMs();
    } catch (error) {
      const reason = tellable(error);
      const failures = this.#lookFailures.note(reason, clock.nowMs());
      if (failures !== undefined) log("error", "worker.look-failed", { reason, failures });
      return clock.nowMs() + Math.max(settings.pollMs, 500);
    }
  }

  /**
   * Suspects that have to wait are released before any turn begins: the turn that they are kept apart from
   * must not kill them with it.
   */
  async #beginAll(outcomes: readonly TakeOutcome[]): Promise<void> {
    const ready: TakeOutcome[] = [];
    const aside: Taken[] = [];
    for (const outcome of outcomes) {
      this.#tellTookOver(outcome);
      if (outcome.kind === "turn" && !this.#admits(outcome.taken)) aside.push(outcome.taken);
      else ready.push(outcome);
    }
    await Promise.all(aside.map((taken) => setAside(this.#context, taken)));
    for (const outcome of ready) void this.#begin(outcome);
  }

  #admits(taken: Taken): boolean {
    return this.#suspects.admit(taken, this.#context.settings.attemptsMax);
  }

  #begin(outcome: TakeResult, within?: Within): Promise<TurnEnd | undefined> {
    this.#tell(outcome);
    if (outcome.kind !== "turn") return Promise.resolve(undefined);
    const run = this.#run(outcome.taken, within)
      .catch((error): TurnEnd => {
        // No caller awaits this promise: an unhandled rejection would end the process, and every other turn
        // in it.
        const about = aboutTurn(outcome.taken);
        this.#context.log("error", "turn.abandoned", { ...about, reason: tellable(error) });
        return { kind: "abandoned" };
      })
      .finally(() => {
        this.#running.delete(run);
        // Otherwise it changes nothing: what is due next is known, and what the turn armed is a nudge.
        if (this.#awaitsPlace) this.#wake.abort(WOKEN);
      });
    this.#running.add(run);
    return run;
  }

  /** A turn, and what each commit goes on to in the same conversation, under a new token. */
  async #run(first: Taken, within?: Within): Promise<TurnEnd> {
    const context = this.#within(within);
    for (let taken = first; ; ) {
      const end = await this.#runOne(context, taken).finally(() => this.#suspects.left(taken));
      const next = end.kind === "committed" ? end.next : undefined;
      if (next) this.#tell(next);
      if (next?.kind !== "turn") return end;
      if (!this.#admits(next.taken)) return setAside(context, next.taken);
      taken = next.taken;
    }
  }

  /** Once the worker stops, what the last look or a commit took is no running turn, and is not begun. */
  async #runOne(context: TurnContext, taken: Taken): Promise<TurnEnd> {
    if (this.#looking.signal.aborted || context.stopping.aborted) return putBack(context, taken);
    this.#logTaken(taken);
    return runTurn(context, taken);
  }

  #within(within: Within | undefined): TurnContext {
    const { settings } = this.#context;
    if (!within) return { ...this.#context, stopping: this.#stopping.signal };
    return {
      ...this.#context,
      settings: cutTo(settings, within.limits),
      stopping: AbortSignal.any([this.#stopping.signal, within.stopping]),
    };
  }

  #tell(outcome: TakeResult): void {
    const { log } = this.#context;
    const dead = ({ conversationId, turnId, deadLetterId, attempts, reason }: DeadLettered) =>
      log("error", "turn.dead", {
        conversation: conversationId,
        turn: turnId,
        attempt: attempts,
        deadLetter: deadLetterId,
        reason: toldOfDeadLetter(reason),
      });
    for (const content of outcome.deadLettered ?? []) dead(content);
    if (outcome.kind === "dead-lettered") dead(outcome);
    this.#sayOfDeadLetters(outcome);
    if (outcome.kind === "later" && outcome.elsewhere) {
      const { conversationId: conversation, sinceAtMs, isFirst } = outcome.elsewhere;
      // Once for each turn that waits, where an operator sees it; each look only for those who ask.
      if (isFirst) log("info", "status.waiting", { conversation, sinceAtMs });
      log("debug", "status.honoured", { conversation, sinceAtMs, againAtMs: outcome.dueAtMs });
    }
    if (outcome.kind === "turn" && outcome.taken.isOverStale) {
      const { conversation, turnId } = outcome.taken;
      log("warn", "status.stale", { conversation: conversation.id, turn: turnId });
    }
    if (outcome.kind !== "busy" || outcome.isRenewed) return;
    const { conversationId, untilAtMs, holder, sinceAtMs } = outcome;
    log("debug", "lease.busy", { conversation: conversationId, holder, sinceAtMs, untilAtMs });
  }

  #sayOfDeadLetters(outcome: TakeResult): void {
    if (outcome.kind !== "dead-lettered" && outcome.deadLettered === undefined) return;
    const said = sayOfDeadLetters(this.#context, outcome).finally(() => this.#saying.delete(said));
    this.#saying.add(said);
  }

  #tellTookOver({ tookOver }: TakeResult): void {
    if (!tookOver) return;
    const { conversationId: conversation, holder, sinceAtMs } = tookOver;
    this.#context.log("warn", "lease.taken-over", { conversation, holder, sinceAtMs });
  }

  /** While an AI or a provider is away every turn is tried again and again: `turn.retries` sums that up. */
  #logTaken(taken: Taken): void {
    const { log, workerId } = this.#context;
    const { conversation, turnId, attempt, messages, draft, dueAtMs, takenAtMs } = taken;
    const fields = {
      holder: workerId,
      conversation: conversation.id,
      turn: turnId,
      attempt,
      messages: messages.length,
      continues: draft !== undefined,
      lateMs: takenAtMs - dueAtMs,
    };
    if (taken.outages > 0) log("debug", "lease.taken", fields);
    else log("info", "lease.taken", fields);
  }
}

function isAbandoned(end: TurnEnd): boolean {
  return end.kind === "abandoned" || (end.kind === "committed" && end.isLeft === true);
}
