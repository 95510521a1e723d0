import { readdir, rm, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const SQLITE = new URL("../../src/engines/sqlite/index.ts", import.meta.url).href;

/** In the middle of a copy a signal comes: from the process itself, so that it is never too late. */
const config = (signal: string) => `import { sqlite } from "${SQLITE}";
const engine = sqlite({ file: "lull.db" });
const backup = (file, options) => {
  let isSent = false;
  const onProgress = (done, total) => {
    options.onProgress(done, total);
    if (!isSent) process.kill(process.pid, "${signal}");
    isSent = true;
  };
  return engine.backup(file, { ...options, onProgress });
};
export default { channels: { web: { web: true } }, engine: { ...engine, backup } };
`;

const folder = processFolder();
/** One in the configuration counts where the environment names no file. */
let hasEngine = false;

beforeEach(async () => {
  const start = lull("start");
  await start.url();
  start.kill("SIGTERM");
  await start.gone();
  fill();
});

function lull(...args: string[]): LullProcess {
  const env = { PORT: "0", LULL_WEB: "1", ...(!hasEngine && { LULL_DB: "lull.db" }) };
  return folder.start(args, { env });
}

/** Enough for several steps of a copy. */
function fill(): void {
  const database = new DatabaseSync(join(folder.path, "lull.db"));
  const add = database.prepare("INSERT INTO messages (conversation_id, at_ms, record) VALUES ('old', 0, ?)");
  database.exec("BEGIN");
  for (let n = 0; n < 4_000; n += 1) add.run(JSON.stringify({ text: "x".repeat(10_000) }));
  database.exec("COMMIT");
  database.close();
}

async function interrupt(signal: NodeJS.Signals) {
  await writeFile(join(folder.path, "lull.config.mjs"), config(signal));
  hasEngine = true;
  const end = await lull("backup", "backups/one.db").gone();
  hasEngine = false;
  await rm(join(folder.path, "lull.config.mjs"));
  return end;
}

const copies = () => readdir(join(folder.path, "backups"));

describe("a backup that is interrupted", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s leaves nothing behind", async (signal) => {
    expect(await interrupt(signal)).toEqual({ code: 128 + constants.signals[signal], signal: null });
    expect(await copies()).toEqual([]);
  });

  it("by SIGKILL leaves half a copy, which the doctor reports and the next backup removes", async () => {
    expect(await interrupt("SIGKILL")).toEqual({ code: null, signal: "SIGKILL" });
    const [left = ""] = await copies();
    expect(left).toMatch(/^one\.db\.part-/);
    const asked = lull("doctor", "--offline");
    await asked.gone();
    expect(asked.stdout).toMatch(/^warn {2}half a backup: .*one\.db\.part-/m);
    expect(asked.stdout).toContain(left);
    expect((await lull("backup", "backups/one.db").gone()).code).toBe(0);
    expect(await copies()).toEqual(["one.db"]);
    const again = lull("doctor", "--offline");
    await again.gone();
    expect(again.stdout).not.toContain("half a backup");
  });

  it("by SIGKILL in 0.1.0 left files of another name: they are told of, and removed, too", async () => {
    await writeFile(join(folder.path, "one.db.part"), "");
    await writeFile(join(folder.path, "one.db.part-journal"), "");
    const asked = lull("doctor", "--offline");
    await asked.gone();
    expect(asked.stdout).toMatch(/^warn {2}half a backup: .*one\.db\.part .*one\.db\.part-journal/m);
    expect((await lull("backup", "one.db").gone()).code).toBe(0);
    expect((await readdir(folder.path)).filter((name) => name.startsWith("one"))).toEqual(["one.db"]);
  });
});
