import assert from "node:assert/strict";
import { messageId } from "../../core/identity.ts";
import { settingsFor } from "../../core/projects.ts";
import type { Arrival } from "../../model/message.ts";
import type { GivenSettings, OwnSettings, Settings } from "../../model/settings.ts";
import type { Taken } from "../../model/take.ts";
import type { CommitOutcome, Engine, StageOutcome } from "../../ports/engine.ts";
import { allSent, arrival, as, draftFor, replied } from "./builders.ts";
import type { EngineCase, EngineFixture, EngineHarness } from "./harness.ts";

/** More than are ever due at once in a case that does not count its takes. */
const TAKE_MAX = 100;

/** A case runs on a fixture of its own, which is closed whatever happens. */
export function scene(
  title: string,
  settings: Partial<GivenSettings>,
  play: (scene: Scene) => Promise<void>,
): EngineCase {
  return {
    title,
    async run(harness: EngineHarness) {
      const fixture = await harness.fixture(settings);
      try {
        await play(new Scene(fixture, await fixture.open("worker-1")));
      } finally {
        await fixture.close();
      }
    },
  };
}

/** A store, a first worker, and the vocabulary of the cases. */
export class Scene {
  readonly fixture: EngineFixture;
  /** The first worker. Others are opened with `open`. */
  readonly engine: Engine;
  #count = 0;

  constructor(fixture: EngineFixture, engine: Engine) {
    this.fixture = fixture;
    this.engine = engine;
  }

  get settings(): Settings {
    return this.fixture.settings;
  }

  /** What the project of `test` sets itself, the channel of most cases. */
  get own(): OwnSettings {
    return settingsFor(this.settings, "test");
  }

  get nowMs(): number {
    return this.fixture.clock.nowMs();
  }

  passes(ms: number): Promise<void> {
    return this.fixture.clock.advance(ms);
  }

  /** The default window goes by. */
  async windowPasses(): Promise<void> {
    const { window } = this.settings;
    await this.passes(window.kind === "fixed" ? window.lengthMs : window.maxMs);
  }

  /** No worker renews: the present leases lapse. */
  async leaseLapses(): Promise<void> {
    await this.passes(this.settings.leaseMs + this.settings.clockSkewMs);
  }

  open(holder: string): Promise<Engine> {
    return this.fixture.open(holder);
  }

  /** As the fixture says; where a step is one request, nothing is told of it. */
  openWatched(holder: string, beforeRequest: () => Promise<void>): Promise<Engine> {
    return this.fixture.openWatched?.(holder, beforeRequest) ?? this.open(holder);
  }

  /** A new message, arriving now. */
  arrival(given: Partial<Arrival> | string = {}): Arrival {
    this.#count += 1;
    const said = typeof given === "string" ? { text: given } : given;
    return arrival({ providerId: `m${this.#count}`, arrivedAtMs: this.nowMs, ...said });
  }

  async deliver(message: Arrival, engine = this.engine): Promise<StageOutcome> {
    const [outcome] = await engine.receiving.stage([{ arrival: message }]);
    return outcome!;
  }

  /** A new message that has to be staged. */
  async receive(given: Partial<Arrival> | string = {}, engine = this.engine) {
    const message = this.arrival(given);
    const { conversationId, dueAtMs } = as("staged", await this.deliver(message, engine));
    return { conversationId, dueAtMs, message, id: idOf(message) };
  }

  async turns(engine = this.engine, max = TAKE_MAX): Promise<Taken[]> {
    const outcomes = await this.fixture.takeDue(engine, max);
    return outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
  }

  /** The same without any part of a sweep. */
  async woken(engine = this.engine): Promise<Taken[]> {
    const { woken, takeDue } = this.fixture;
    const outcomes = await (woken ?? takeDue)(engine);
    return outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
  }

  /** Exactly one turn is due, and it is taken. */
  async take(engine = this.engine): Promise<Taken> {
    return only(await this.turns(engine));
  }

  /** The same without any part of a sweep. */
  async takeWoken(engine = this.engine): Promise<Taken> {
    return only(await this.woken(engine));
  }

  async nothingDue(engine = this.engine): Promise<void> {
    const turns = await this.turns(engine);
    assert.deepEqual(
      turns.map(({ messages, outbound }) => outbound?.texts ?? messages.map(({ text }) => text)),
      [],
    );
  }

  /** These messages arrive, their window goes by, and their turn is taken. */
  async turnFor(...texts: string[]): Promise<Taken> {
    for (const text of texts) await this.receive(text);
    await this.windowPasses();
    return this.take();
  }

  /** Draft, send and commit without a fault. */
  async reply(
    taken: Taken,
    text = "ok",
    engine = this.engine,
  ): Promise<Extract<CommitOutcome, { kind: "committed" }>> {
    const draft = draftFor(taken, text);
    as("drafted", await engine.turns.draft(taken.lease, draft));
    return as("committed", await engine.turns.commit(taken.lease, replied(taken, allSent(draft))));
  }

  /** A whole turn: messages, window, reply. */
  async talk(text: string, answer = "ok"): Promise<Taken> {
    const taken = await this.turnFor(text);
    await this.reply(taken, answer);
    return taken;
  }

  async conversations() {
    return (await this.engine.inspector.conversations({ limit: TAKE_MAX })).items;
  }

  async detail(conversationId: string) {
    const detail = await this.engine.inspector.conversation(conversationId);
    assert.ok(detail, `there is no conversation ${conversationId}`);
    return detail;
  }

  async dead() {
    return (await this.engine.inspector.dead({ limit: TAKE_MAX })).items;
  }

  async locks() {
    return (await this.engine.inspector.locks({ limit: TAKE_MAX })).items;
  }

  /** Nothing is waiting and nothing is held: no window, no lease, nothing staged. */
  async atRest(): Promise<void> {
    const { staged, windows, leases } = await this.engine.inspector.counts();
    assert.deepEqual({ staged, windows, leases }, { staged: 0, windows: 0, leases: 0 });
  }
}

function only(turns: readonly Taken[]): Taken {
  assert.equal(turns.length, 1, `expected one turn to be due, found ${turns.length}`);
  return turns[0]!;
}

export function idOf({ channel, account, providerId }: Arrival): string {
  return messageId(channel, account, providerId);
}
