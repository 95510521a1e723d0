import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { typed } from "../typed-command.ts";
import { openEngine } from "./turns.ts";

/** The channel where a WATI bot's file is moved in. */
export const WATI_ENV = {
  WATI_API_URL: "https://wati.example/7001",
  WATI_TOKEN: "token",
  WATI_WEBHOOK_SECRET: "secret",
  WATI_NUMBERS: "15550100",
};

const ENV = { ...WATI_ENV, LULL_DB: "lull.db" };

/** A folder for each test, with a place for the bot's file, and the command line in it. */
export function botFolder() {
  let cwd = "";
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lull-migrate-"));
    for (const [name, value] of Object.entries(ENV)) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(cwd, { recursive: true, force: true });
  });
  return {
    get cwd() {
      return cwd;
    },
    get source() {
      return join(cwd, "thread_store.db");
    },
    /** Looks into the store that the file is moved into. */
    async withTarget<T>(look: (engine: Engine) => Promise<T>): Promise<T> {
      const engine = await openEngine(sqlite({ file: join(cwd, "lull.db") }));
      try {
        return await look(engine);
      } finally {
        await engine.close();
      }
    },
    /** With the variables as the test has set them by now. */
    async lull(args: readonly string[], nowMs?: () => number) {
      const env = Object.fromEntries(Object.keys(ENV).map((name) => [name, process.env[name]]));
      const { code, out, err } = await typed(args, { cwd, env, ...(nowMs && { nowMs }) });
      const json = args.includes("--json") && out !== "" ? JSON.parse(out) : undefined;
      return { code, text: out, json, stderr: err };
    },
  };
}
