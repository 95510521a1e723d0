import { afterAll, describe, expect, it } from "vitest";
import { aroundEngine } from "../../src/testing/around-engine.ts";
import { explore } from "../../src/testing/simulator/explore.ts";
import { shrink } from "../../src/testing/simulator/shrink.ts";
import { simulate } from "../../src/testing/simulator/simulate.ts";
import type { EngineRun } from "../../src/testing/simulator/simulation-run.ts";
import { timeline } from "../../src/testing/simulator/timeline.ts";
import { ENGINES, type EngineName, engineMaker } from "./engines.ts";
import { regressionsOn } from "./regressions.ts";

/** Enough to notice what is badly broken; `npm run simulate:ci` looks for the rest. */
const budgets: Record<EngineName, number> = { memory: 400, sqlite: 60, aws: 40 };

describe.each(ENGINES)("on the %s engine", (name) => {
  const { simulation, end } = engineMaker(name);
  afterAll(end);

  it("no schedule breaks a promise", async () => {
    const { broken, cells } = await explore({ ...simulation, fromSeed: 1, schedules: budgets[name] });
    expect(broken, `replay with: npm run simulate -- --engine ${name} --seed ${broken[0]}`).toEqual([]);
    expect(Object.keys(cells).length).toBeGreaterThan(50);
  });

  it.each(regressionsOn(name))("$name", async ({ plan }) => {
    const run = await simulate(plan, simulation);
    expect(run.violations, timeline(run)).toEqual([]);
    expect(run.hits.length).toBe(plan.faults.length);
  });

  // SQLite makes ids of its own: the same run, in other letters.
  it.skipIf(name === "sqlite")("the same seed gives the same run, to the letter", async () => {
    for (const seed of [1, 77, 4_242]) {
      const first = timeline(await simulate(seed, simulation));
      expect(timeline(await simulate(seed, simulation))).toBe(first);
    }
  });
});

const { simulation } = engineMaker("memory");

it("runs on a responder of one's own", async () => {
  const asked: string[] = [];
  const respond = (turn: { text: string }) => {
    asked.push(turn.text);
    return null;
  };
  const run = await simulate(3, { ...simulation, respond });
  expect(run.violations).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
  expect(run.history.of("sent")).toEqual([]);
});

it("a failing run is shrunk to what it needs: here one message, one worker, no fault", async () => {
  // A store that says "staged" and does nothing.
  const forgetful = (given: EngineRun) =>
    aroundEngine(
      simulation.engine(given),
      () => async (name, input, call) =>
        name === "receiving.stage"
          ? (input[0] as unknown[]).map(() => ({ kind: "staged", conversationId: "c", dueAtMs: 0 }))
          : call(),
    );
  const run = await simulate(5, { engine: forgetful });
  expect(run.violations).not.toEqual([]);
  const { plan, violations } = await shrink(run, { engine: forgetful });
  expect(violations).not.toEqual([]);
  expect(plan).toMatchObject({ workers: 1, faults: [], strayWakeUpsAtMs: [] });
  expect(plan.messages).toHaveLength(1);
});
