import { expect, it } from "vitest";
import { runChaos } from "./run-chaos.ts";

it("twenty workers killed at random, a provider in trouble: nothing lost, nothing in two turns, nobody answered twice", async () => {
  const report = await runChaos({ kills: 20, acknowledgedMin: 60, workers: 2, seed: 1 });
  expect(report).toMatchObject({ lost: [], inTwoTurns: [], answeredTwice: [] });
  expect(report.kills).toBeGreaterThanOrEqual(20);
  expect(report.acknowledged).toBeGreaterThanOrEqual(60);
  expect(report.turns).toBeGreaterThan(10);
}, 120_000);
