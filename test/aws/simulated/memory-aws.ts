import { settingsWith } from "../../../src/core/defaults.ts";
import { type AwsContext, contextFor } from "../../../src/engines/aws/context.ts";
import type { Store } from "../../../src/engines/aws/dynamo/store.ts";
import { engineOn } from "../../../src/engines/aws/engine.ts";
import type { Trigger } from "../../../src/engines/aws/queue/triggers.ts";
import type { Arrival } from "../../../src/model/message.ts";
import type { GivenSettings } from "../../../src/model/settings.ts";
import type { Taken } from "../../../src/model/take.ts";
import type { Engine } from "../../../src/ports/engine.ts";
import { arrival, as } from "../../../src/testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../../src/testing/fake-clock.ts";
import { MemoryStore } from "./memory-store.ts";
import { MemoryTables } from "./memory-tables.ts";

/** A request as the engine makes it: its name, and what it is about. */
export interface Request {
  readonly name: keyof Store;
  readonly args: readonly unknown[];
}

/** Carries a request out, or does not, and may act before or after it. */
export type Around = (request: Request, happen: () => Promise<unknown>) => Promise<unknown>;

export interface MemoryAws {
  readonly clock: FakeClock;
  readonly tables: MemoryTables;
  /** Triggers that were sent. */
  readonly triggers: Trigger[];
  /** A worker, with a test's hook between its requests and the tables where the test wants one. */
  open(holder: string, around?: Around, parts?: Partial<Pick<AwsContext, "leaseShards">>): Engine;
  arrival(given?: Partial<Arrival>): Arrival;
  /** A message whose window goes by and whose turn is taken. */
  turnFor(engine: Engine, text: string): Promise<Taken>;
}

/** The steps of the engine on tables in memory, for tests that put something between two single requests. */
export function memoryAws(given: Partial<GivenSettings> = {}): MemoryAws {
  const clock = fakeClock();
  const settings = settingsWith({ clockSkewMs: 2_000, ...given });
  const tables = new MemoryTables();
  const sent: Trigger[] = [];
  const now = async () => {};
  const triggers = {
    send: async (trigger: Trigger) => void sent.push(trigger),
    receive: async () => [],
    done: now,
    check: now,
  };
  const calm = {
    delay: now,
    meets: <T>(_name: unknown, happen: () => Promise<T>) => happen(),
    indexLag: () => 0,
    sees: "all",
    scribble: () => {},
    repeats: () => false,
  } as const;
  let count = 0;
  const fixture: MemoryAws = {
    clock,
    tables,
    triggers: sent,
    open(holder, around, parts) {
      const plain = new MemoryStore(tables, calm);
      const store = around ? between(plain, around) : plain;
      const context = { clock, settings, holder, log: () => {}, onArmed: () => {} };
      return engineOn(contextFor(context, { store, triggers, forget: "sweep", ...parts }), now);
    },
    arrival(given) {
      count += 1;
      return arrival({ providerId: `m${count}`, arrivedAtMs: clock.nowMs(), ...given });
    },
    async turnFor(engine, text) {
      const [outcome] = await engine.receiving.stage([{ arrival: fixture.arrival({ text }) }]);
      await clock.advance(10_000);
      return as("turn", await engine.turns.take(as("staged", outcome!).conversationId)).taken;
    },
  };
  return fixture;
}

function between(store: Store, around: Around): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const request = target[name] as (...args: readonly unknown[]) => Promise<unknown>;
      return (...args: readonly unknown[]) => around({ name, args }, () => request.apply(target, [...args]));
    },
  });
}
