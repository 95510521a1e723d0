import { expect, it } from "vitest";
import { startEmulators, unavailable } from "../../tools/aws-local/emulators.ts";
import { runChaos } from "../chaos/run-chaos.ts";
import { chaosStore } from "./chaos-store.ts";

it.skipIf(unavailable)(
  "workers killed at random on AWS, a provider in trouble: nothing lost, in two turns or answered twice",
  async () => {
    const emulators = await startEmulators();
    const report = await runChaos({
      kills: 8,
      acknowledgedMin: 30,
      workers: 3,
      seed: 1,
      store: await chaosStore(emulators),
    });
    expect(report).toMatchObject({ lost: [], inTwoTurns: [], answeredTwice: [] });
    expect(report.acknowledged).toBeGreaterThanOrEqual(30);
    expect(report.turns).toBeGreaterThan(5);
    await emulators.stop();
  },
  150_000,
);
