import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied } from "../../src/testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.ts";

interface Logged {
  readonly event: string;
  readonly fields: LogFields;
}

/** An engine on a file of its own, into which the test writes as another program would. */
export class SharedFile {
  readonly engine: Engine;
  readonly clock: FakeClock;
  /** What the engine told, in order. */
  readonly logged: readonly Logged[];
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string, engine: Engine, clock: FakeClock, logged: readonly Logged[]) {
    this.#folder = folder;
    this.engine = engine;
    this.clock = clock;
    this.logged = logged;
  }

  static async open(): Promise<SharedFile> {
    const folder = mkdtempSync(join(tmpdir(), "lull-foreign-"));
    const clock = fakeClock();
    const logged: Logged[] = [];
    const provider = sqlite({ file: fileIn(folder), writer: "inline", synchronous: "off" });
    const engine = await provider.open({
      clock,
      settings: settingsWith({}),
      holder: "here",
      log: (_level, event, fields = {}) => void logged.push({ event, fields }),
      onArmed: () => {},
    });
    return new SharedFile(folder, engine, clock, logged);
  }

  async close(): Promise<void> {
    await this.engine.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** A message of that person. Gives its conversation's id, or an empty one where it was not staged. */
  async receive(sender: string, text = "hi"): Promise<string> {
    this.#count += 1;
    const providerId = `m${this.#count}`;
    const message = arrival({ providerId, sender, text, arrivedAtMs: this.clock.nowMs() });
    const [outcome] = await this.engine.receiving.stage([{ arrival: message }]);
    return outcome?.kind === "staged" ? outcome.conversationId : "";
  }

  /** Changes the file behind the engine's back. */
  change(sql: string, ...values: SQLInputValue[]): void {
    const database = new DatabaseSync(fileIn(this.#folder), { timeout: 5_000 });
    database.prepare(sql).run(...values);
    database.close();
  }

  read(sql: string): Record<string, unknown> {
    const database = new DatabaseSync(fileIn(this.#folder), { readOnly: true });
    const row = database.prepare(sql).get();
    database.close();
    return row ?? {};
  }

  /** The turns that are due now. */
  async turns(): Promise<Taken[]> {
    const { outcomes } = await this.engine.turns.takeDue(100, new AbortController().signal);
    return outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
  }

  /** Who got a reply: every conversation that is due by now, or is found by sweeps within a few leases. */
  async answered(): Promise<string[]> {
    const heard: string[] = [];
    for (let look = 0; look < 12; look += 1) {
      for (const taken of await this.turns()) heard.push(await this.#answer(taken));
      await this.engine.sweeping.sweep();
      await this.clock.advance(15_000);
    }
    return heard.toSorted();
  }

  async #answer(taken: Taken): Promise<string> {
    const { turns } = this.engine;
    const draft = taken.draft ?? draftFor(taken);
    await turns.draft(taken.lease, draft);
    const { kind } = await turns.commit(taken.lease, replied(taken, allSent(draft)));
    expect(kind).toBe("committed");
    return taken.messages[0]?.sender ?? taken.outbound?.to ?? "";
  }
}

function fileIn(folder: string): string {
  return join(folder, "lull.db");
}

/** Every place in a JSON value, as a path. */
export function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [
    ...(path.length > 0 ? [[...path]] : []),
    ...inner.flatMap(([key, each]) => placesIn(each, [...path, key])),
  ];
}

export function withValue(value: unknown, [key = "", ...rest]: readonly string[], put: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? put : withValue(copy[key], rest, put);
  return copy;
}

/** What may stand in place of a value of ours. */
export const STRANGE: readonly (string | number | null | Uint8Array)[] = [
  "",
  "{}",
  "[]",
  "null",
  '"soon"',
  "7",
  '{"works":',
  7,
  new Uint8Array([0xff, 0x00, 0x7b]),
];
