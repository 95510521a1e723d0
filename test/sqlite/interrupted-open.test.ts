import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually, LullProcess } from "../lull-process.ts";

let folder: string;
let held: DatabaseSync;
let asked: LullProcess | undefined;

/** Nobody else can so much as read it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-open-"));
  mkdirSync(join(folder, "data"));
  held = new DatabaseSync(join(folder, "data/lull.db"));
  held.exec("CREATE TABLE ours (id)");
  held.exec("BEGIN EXCLUSIVE");
});
afterEach(async () => {
  asked?.kill("SIGKILL");
  await asked?.gone();
  asked = undefined;
  held.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Whether another process has the file open. */
async function isOpening(): Promise<true | undefined> {
  const file = join(folder, "data/lull.db");
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return others.some((pid) => openFilesOf(pid).includes(file)) || undefined;
}

function openFilesOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

const BY_SIGNAL = { code: null, signal: "SIGTERM" };

// Only Linux shows who has a file open.
describe.runIf(process.platform === "linux")("while another process holds the file, SIGTERM ends", () => {
  test.each<[string, string[], object]>([
    ["lull start and its worker", ["start"], { code: 143, signal: null }],
    ["lull start in one process", ["dev"], BY_SIGNAL],
    ["a command that reads", ["conversations"], BY_SIGNAL],
    ["a command that writes", ["pause"], BY_SIGNAL],
    ["a backup", ["backup", "copy.db"], { code: 143, signal: null }],
    ["the doctor", ["doctor", "--offline"], BY_SIGNAL],
  ])("%s", async (_, args, end) => {
    const env = { PORT: "0", LULL_WEB: "1" };
    asked = new LullProcess(args, { cwd: folder, env });
    await eventually("the file to be opened", isOpening);
    asked.kill("SIGTERM");
    expect(await asked.gone()).toEqual(end);
    expect(asked.stderr).not.toMatch(/lull: /);
    // Nothing that it started goes on.
    await eventually("nobody to have the file open", async () => ((await isOpening()) ? undefined : true));
  });
});
