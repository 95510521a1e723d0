import { afterAll, describe, expect, it } from "vitest";
import { aroundEngine } from "../../src/testing/around-engine.ts";
import { explore } from "../../src/testing/simulator/explore.ts";
import { shrink } from "../../src/testing/simulator/shrink.ts";
import { simulate } from "../../src/testing/simulator/simulate.ts";
import { timeline } from "../../src/testing/simulator/timeline.ts";
import { type EngineName, engineMaker } from "./engines.ts";
import { REGRESSIONS } from "./regressions.ts";

const budgets: Record<EngineName, number> = { memory: 1_500, sqlite: 150 };

describe.each(Object.keys(budgets) as EngineName[])("on the %s engine", (name) => {
  const { make: engine, end } = engineMaker(name);
  afterAll(end);

  it("no schedule breaks a promise", async () => {
    const { broken, cells } = await explore({ engine, fromSeed: 1, schedules: budgets[name] });
    expect(broken, `replay with: npm run simulate -- --engine ${name} --seed ${broken[0]}`).toEqual([]);
    expect(Object.keys(cells).length).toBeGreaterThan(50);
  });

  it.each(REGRESSIONS)("$name", async ({ plan }) => {
    const run = await simulate(plan, { engine });
    expect(run.violations, timeline(run)).toEqual([]);
    expect(run.hits.length).toBe(plan.faults.length);
  });
});

const { make: engine } = engineMaker("memory");

it("the same seed gives the same run, to the letter", async () => {
  for (const seed of [1, 77, 4_242]) {
    const first = timeline(await simulate(seed, { engine }));
    expect(timeline(await simulate(seed, { engine }))).toBe(first);
  }
});

it("runs on a responder of one's own", async () => {
  const asked: string[] = [];
  const respond = (turn: { text: string }) => {
    asked.push(turn.text);
    return null;
  };
  const run = await simulate(3, { engine, respond });
  expect(run.violations).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
  expect(run.history.of("sent")).toEqual([]);
});

it("a failing run is shrunk to what it needs: here one message, one worker, no fault", async () => {
  // A store that says "staged" and does nothing.
  const forgetful = () =>
    aroundEngine(
      engine(),
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
