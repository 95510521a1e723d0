import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine, StageRequest } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied, sending } from "../../src/testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.ts";

const WINDOW_MS = 10_000;
const soon = new AbortController().signal;

/** Messages and turns on a file, one step after the other, as a service asks for them. */
export class Talk {
  readonly engine: Engine;
  readonly #clock: FakeClock;
  #count = 0;

  private constructor(engine: Engine, clock: FakeClock) {
    this.engine = engine;
    this.#clock = clock;
  }

  static async open(file: string, writer: "inline" | "thread" = "inline"): Promise<Talk> {
    const clock = fakeClock();
    const settings = settingsWith({ bringsHistory: true });
    const context = { clock, settings, holder: "here", log: () => {}, onArmed: () => {} };
    return new Talk(await sqlite({ file, writer }).open(context), clock);
  }

  /** As Twilio sends it. */
  request(sender: string): StageRequest {
    this.#count += 1;
    const providerId = `SM${String(this.#count).padStart(32, "f")}`;
    return { arrival: arrival({ providerId, sender, arrivedAtMs: this.#clock.nowMs() }) };
  }

  async stage(sender: string): Promise<void> {
    await this.engine.receiving.stage([this.request(sender)]);
  }

  async windowEnds(): Promise<void> {
    await this.#clock.advance(WINDOW_MS);
  }

  async take(): Promise<Taken> {
    const { outcomes } = await this.engine.turns.takeDue(1, soon);
    if (outcomes[0]?.kind !== "turn") throw new Error("no turn is due");
    return outcomes[0].taken;
  }

  /** With its first chunk on its way, as the service writes it. */
  async draft(taken: Taken): Promise<void> {
    await this.engine.turns.draft(taken.lease, this.#draftOf(taken));
  }

  async commit(taken: Taken): Promise<void> {
    await this.engine.turns.commit(taken.lease, replied(taken, allSent(this.#draftOf(taken))));
  }

  /** LEASE, DRAFT, COMMIT. */
  async turn(): Promise<void> {
    await this.windowEnds();
    const taken = await this.take();
    await this.draft(taken);
    await this.commit(taken);
  }

  #draftOf(taken: Taken) {
    return sending(draftFor(taken), 0, taken.takenAtMs + 5_000);
  }
}
