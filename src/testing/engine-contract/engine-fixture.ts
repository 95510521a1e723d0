import { settingsWith } from "../../core/defaults.ts";
import type { GivenSettings } from "../../model/settings.ts";
import type { Engine, EngineProvider } from "../../ports/engine.ts";
import { fakeClock } from "../fake-clock.ts";
import type { EngineFixture } from "./harness.ts";

/** What a case does to the store behind the engine's back, where the engine's tests can. */
export interface StoreAccess {
  readonly strand?: EngineFixture["strand"];
  readonly spoil?: EngineFixture["spoil"];
  readonly says?: EngineFixture["says"];
  readonly keeps?: EngineFixture["keeps"];
  /** After every worker is closed. */
  readonly close?: () => Promise<void>;
}

/** A fixture on any engine whose `takeDue` finds due work by itself. */
export function engineFixture(
  provider: EngineProvider,
  given: Partial<GivenSettings> = {},
  storeAccess: StoreAccess = {},
): EngineFixture {
  const clock = fakeClock();
  const settings = settingsWith(given);
  const opened: Engine[] = [];
  return {
    clock,
    settings,
    async open(holder = `worker-${opened.length + 1}`) {
      const engine = await provider.open({ clock, settings, holder, log: () => {}, onArmed: () => {} });
      opened.push(engine);
      return engine;
    },
    async takeDue(engine, max = 100) {
      const { outcomes } = await engine.turns.takeDue(max, new AbortController().signal);
      return [...outcomes];
    },
    setClockBack: clock.setBack,
    ...(storeAccess.strand && { strand: storeAccess.strand }),
    ...(storeAccess.spoil && { spoil: storeAccess.spoil }),
    ...(storeAccess.says && { says: storeAccess.says }),
    ...(storeAccess.keeps && { keeps: storeAccess.keeps }),
    async close() {
      for (const engine of opened) await engine.close();
      await storeAccess.close?.();
    },
  };
}
