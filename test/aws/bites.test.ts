import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exploreIn, without } from "../simulation/bite.ts";
import { AWS_REMOVALS, type Day } from "./protections.ts";

/** A missing protection has to be found within this many schedules. */
const SCHEDULES_MAX = 5_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-bites-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const on = (day: Day) => `(await import("./test/aws/simulated/simulated-aws.ts")).AWS_${day}`;

describe("without this protection the simulator finds a broken promise", () => {
  it.concurrent.each(AWS_REMOVALS.map((removal, n) => ({ ...removal, n })))(
    "$protection",
    async ({ n, day = "SIMULATION", patches }) => {
      const copy = await without({ patches }, join(folder, String(n)));
      expect((await exploreIn(copy, on(day), SCHEDULES_MAX)).broken).toHaveLength(1);
    },
    600_000,
  );
});

const DAYS: readonly Day[] = ["SIMULATION", "CALM", "REPEATING", "BELATED", "FAILING", "POISONED"];

it.concurrent.each(DAYS)(
  "with every protection in place it finds none on a day of %s",
  async (day) => {
    const copy = await without({ patches: [] }, join(folder, day));
    expect((await exploreIn(copy, on(day), 300)).broken).toEqual([]);
  },
  150_000,
);
