import { settingsWith } from "../../core/defaults.ts";
import type { Settings } from "../../model/settings.ts";
import type { Engine, EngineProvider } from "../../ports/engine.ts";
import { fakeClock } from "../fake-clock.ts";
import type { World } from "./harness.ts";

export interface Backstage {
  readonly strand?: World["strand"];
  readonly spoil?: World["spoil"];
  readonly keeps?: World["keeps"];
  /** After every worker is closed. */
  readonly close?: () => Promise<void>;
}

/** A world on any engine whose `takeDue` finds due work by itself. */
export function worldOn(
  provider: EngineProvider,
  given: Partial<Settings> = {},
  backstage: Backstage = {},
): World {
  const clock = fakeClock();
  const settings = settingsWith(given);
  const opened: Engine[] = [];
  return {
    clock,
    settings,
    async open(workerId = `worker-${opened.length + 1}`) {
      const engine = await provider.open({ clock, settings, workerId, log: () => {}, onArmed: () => {} });
      opened.push(engine);
      return engine;
    },
    async takeDue(engine, max = 100) {
      const { outcomes } = await engine.turns.takeDue(max, new AbortController().signal);
      return [...outcomes];
    },
    setClockBack: clock.setBack,
    ...(backstage.strand && { strand: backstage.strand }),
    ...(backstage.spoil && { spoil: backstage.spoil }),
    ...(backstage.keeps && { keeps: backstage.keeps }),
    async close() {
      for (const engine of opened) await engine.close();
      await backstage.close?.();
    },
  };
}
