import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { seeded } from "../../src/testing/simulator/random.ts";
import { eventually, LullProcess } from "../lull-process.ts";
import { WATI_ENV } from "./bot-folder.ts";
import { type BufferRow, threadStore } from "./thread-store.ts";
import { openEngine, takeAllTurns } from "./turns.ts";

const CUSTOMERS = 10_000;
const KILLS = 8;
const SEED = 12;
const TIMEOUT_MS = 240_000;

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-migrate-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** How many conversations the target holds; none while there is no target. */
function conversationsIn(file: string): number {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    return Number(database.prepare("SELECT count(*) AS n FROM conversations").get()?.n);
  } catch {
    return 0;
  } finally {
    database?.close();
  }
}

test(
  "10,000 customers, killed at random moments and started again: none lost, none twice",
  async () => {
    const random = seeded(SEED);
    const buffer = Array.from({ length: CUSTOMERS }, (_, n) =>
      Array.from({ length: random.between(1, 3) }, (_, at): BufferRow => {
        const waId = `5037${String(n).padStart(7, "0")}`;
        return { waId, text: `${waId} says ${at}`, at: `2026-01-01 10:00:0${at}` };
      }),
    ).flat();
    const threads = Array.from({ length: CUSTOMERS / 2 }, (_, n) => ({
      waId: `5037${String(2 * n).padStart(7, "0")}`,
      threadId: `thread_${n}`,
    }));
    threadStore(join(cwd, "thread_store.db"), { threads, buffer }).close();
    const target = join(cwd, "lull.db");
    const env = { ...WATI_ENV, LULL_DB: target };
    const start = () =>
      new LullProcess(["migrate", "seed-wati", "thread_store.db", "--apply", "--json"], { cwd, env });

    let killed = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const process = start();
      const count = conversationsIn(target) + random.between(1, CUSTOMERS / KILLS);
      await eventually(`${count} conversations`, async () =>
        process.child.exitCode !== null || conversationsIn(target) >= count ? true : undefined,
      );
      process.kill("SIGKILL");
      if ((await process.gone()).signal === "SIGKILL") killed += 1;
    }
    expect(killed).toBeGreaterThanOrEqual(KILLS - 1);
    const last = start();
    expect(await last.gone(), last.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(last.stdout)).toMatchObject({ left: [], junk: [] });

    const engine = await openEngine(sqlite({ file: target }));
    const turns = await takeAllTurns(engine);
    const counts = await engine.inspector.counts();
    await engine.close();
    expect(counts).toMatchObject({ conversations: CUSTOMERS, staged: 0, dead: 0 });
    expect(turns.flatMap(({ texts }) => texts).sort()).toEqual(buffer.map(({ text }) => text).sort());
    expect(new Set(turns.flatMap(({ ids }) => ids)).size).toBe(buffer.length);
  },
  TIMEOUT_MS,
);
