import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exploreIn, without } from "./bite.ts";
import { type MemoryRemoval, REMOVALS, SYNC_REMOVALS } from "./protections.ts";

/** A missing protection has to be found within this many schedules. */
const SCHEDULES_MAX = 2_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-bites-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const onMemory = (day?: MemoryRemoval["day"]) => `{
  engine: (await import("./test/simulation/forgetful-memory.ts")).forgetfulMemory,
  ${day ? `plan: (await import("./test/simulation/days.ts")).${day},` : ""}
}`;

/** A file costs more than maps. What one process finds within these, it finds soon. */
const FILE_SCHEDULES_MAX = 500;
const ON_FILES = `(await import("./test/simulation/forgetful-file.ts")).forgetfulFiles()`;

describe("without this protection the simulator finds a broken promise", () => {
  it.concurrent.each(REMOVALS.map((removal, n) => ({ ...removal, n })))(
    "$protection",
    async (removal) => {
      const copy = await without(removal, join(folder, String(removal.n)));
      expect((await exploreIn(copy, onMemory(removal.day), SCHEDULES_MAX)).broken).toHaveLength(1);
    },
    150_000,
  );
});

describe("without this protection a power cut of a SQLite file breaks a promise", () => {
  it.concurrent.each(SYNC_REMOVALS.map((removal, n) => ({ ...removal, n })))(
    "$protection",
    async (removal) => {
      const copy = await without(removal, join(folder, `file-${removal.n}`));
      expect((await exploreIn(copy, ON_FILES, FILE_SCHEDULES_MAX)).broken).toHaveLength(1);
    },
    150_000,
  );
});

it.concurrent.each([undefined, "LAST_ATTEMPT", "PROVIDER_AWAY"] as const)(
  "with every protection in place it finds none on a day of %s",
  async (day) => {
    const copy = await without({ patches: [] }, join(folder, `whole-${day}`));
    const schedulesMax = day ? SCHEDULES_MAX / 10 : SCHEDULES_MAX;
    const { broken, schedules } = await exploreIn(copy, onMemory(day), schedulesMax);
    expect(broken).toEqual([]);
    expect(schedules).toBe(schedulesMax);
  },
  150_000,
);
