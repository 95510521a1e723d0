import { expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { Sweeper } from "./sweeper.ts";

it("sweeps at once and on a jittered interval, tells what it found, and stops when told", async () => {
  const clock = fakeClock();
  const logged: string[] = [];
  let sweeps = 0;
  const sweeping = {
    async sweep() {
      sweeps += 1;
      return { orphans: sweeps === 1 ? 2 : 0, retriggered: 0, freed: sweeps === 2 ? 1 : 0, expired: 0 };
    },
    freeLeases: async () => 0,
  };
  const sweeper = new Sweeper(
    sweeping,
    clock,
    4_000,
    () => 1,
    (_level, event) => void logged.push(event),
  );
  sweeper.start();
  sweeper.start();
  await clock.advance(0);
  expect(logged).toEqual(["sweep.orphans", "sweep.done"]);
  await clock.advance(4_999);
  expect(sweeps).toBe(1);
  await clock.advance(1);
  expect(logged.slice(2)).toEqual(["lease.stale", "sweep.done"]);
  await sweeper.stop();
  await clock.advance(60_000);
  expect(sweeps).toBe(2);
});
