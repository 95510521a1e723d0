import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { eventually, type LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const folder = processFolder();
let service: LullProcess;
let url = "";

const ENV = {
  PORT: "0",
  LULL_WEB: "1",
  LULL_DB: "lull.db",
  LULL_WINDOW_SECONDS: "0.1",
  LULL_RESPONDER: "echo",
};

function lull(...args: string[]): LullProcess {
  return folder.start(args, { env: ENV, umask: "000" });
}

async function done(...args: string[]) {
  const process = lull(...args);
  const { code } = await process.gone();
  return { code, stdout: process.stdout, stderr: process.stderr };
}

async function write(sender: string, id: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ id, sender, text: `SECRET of ${sender}` });
  expect((await fetch(`${url}/webhooks/web`, { method: "POST", body, headers })).status).toBe(200);
}

async function counts(): Promise<Record<string, number>> {
  return (await fetch(`${url}/api/counts`)).json() as Promise<Record<string, number>>;
}

beforeEach(async () => {
  service = lull("start");
  url = await service.url();
  await write("visitor-0001", "1");
  await write("visitor-0002", "2");
  await eventually("both are answered", async () => (await counts()).turns === 2 || undefined);
});

describe("lull erase --customer", () => {
  it("first tells what would go, and erases nobody without --yes", async () => {
    const asked = await done("erase", "--customer", "visitor-0001");
    expect(asked.code).toBe(2);
    for (const line of asked.stderr.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(asked.stderr).toMatch(/cannot be undone[\s\S]* 1 conversation\n[\s\S]* 2 messages\n/);
    expect(asked.stderr).toContain("To go on: lull erase --customer visitor-0001 --yes");
    const look = await done("erase", "--customer", "visitor-0001", "--dry-run", "--json");
    expect(look.code).toBe(0);
    expect(JSON.parse(look.stdout).kept).toMatchObject({ conversation: 1, message: 2, turn: 1 });
    expect((await counts()).conversations).toBe(2);
  });

  it("with --yes they are gone, from files too; the log tells that, and not of whom", async () => {
    const gone = await done("erase", "--customer", "visitor-0001", "--yes", "--json");
    expect(gone.code).toBe(0);
    expect(JSON.parse(gone.stdout)).toMatchObject({
      result: "erased",
      removed: { conversation: 1, message: 2, turn: 1 },
      left: {},
    });
    expect(gone.stderr).toMatch(/person\.erased.*conversations.*1/);
    expect(`${gone.stderr}${service.stderr}`).not.toContain("visitor-0001");
    for (const name of (await readdir(folder.path)).filter((each) => each.startsWith("lull.db")))
      expect(await readFile(join(folder.path, name), "latin1")).not.toContain("SECRET of visitor-0001");
    expect((await counts()).conversations).toBe(1);
    const again = await done("erase", "--customer", "visitor-0001", "--yes");
    expect([again.code, again.stdout.trim()]).toEqual([0, "Nothing is kept of visitor-0001."]);
  });

  it("a misspelt project or channel is told, and no address at all", async () => {
    const project = await done("erase", "--customer", "visitor-0001", "--project", "nope", "--yes");
    expect([project.code, project.stderr]).toEqual([1, expect.stringContaining("no project nope")]);
    const channel = await done("erase", "--customer", "visitor-0001", "--channel", "nope", "--yes");
    expect([channel.code, channel.stderr]).toEqual([2, expect.stringContaining("no channel of this name")]);
    const nobody = await done("erase", "--yes");
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining("--customer is needed")]);
    expect((await counts()).conversations).toBe(2);
  });
});

describe("lull export --customer", () => {
  it("writes what an erasure would remove, as JSON, to a file of its owner's alone", async () => {
    const written = await done("export", "--customer", "visitor-0001", "--out", "ana.json");
    expect(written.code).toBe(0);
    const file = join(folder.path, "ana.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, "utf8");
    const document = JSON.parse(text);
    expect(document).toMatchObject({ format: "lull-export/1", customer: "visitor-0001" });
    expect(text).toContain("SECRET of visitor-0001");
    expect(text).not.toContain("visitor-0002");
    const look = await done("erase", "--customer", "visitor-0001", "--dry-run", "--json");
    const kept = Object.values(JSON.parse(look.stdout).kept as Record<string, number>);
    expect(document.items).toHaveLength(kept.reduce((sum, count) => sum + count, 0));
    expect(JSON.parse((await done("export", "--customer", "visitor-0001")).stdout).items).toEqual(
      document.items,
    );
  });

  it("leaves a file alone that is there, and no half of one behind", async () => {
    await writeFile(join(folder.path, "ana.json"), "mine");
    const refused = await done("export", "--customer", "visitor-0001", "--out", "ana.json");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--force")]);
    expect(await readFile(join(folder.path, "ana.json"), "utf8")).toBe("mine");
    expect((await done("export", "--customer", "visitor-0001", "--out", "ana.json", "--force")).code).toBe(0);
    expect(JSON.parse(await readFile(join(folder.path, "ana.json"), "utf8")).items.length).toBeGreaterThan(0);
    expect((await readdir(folder.path)).filter((name) => name.includes(".part"))).toEqual([]);
  });
});

describe("lull load-test", () => {
  const BURST = ["--customers", "2", "--messages", "2", "--gap-ms", "10"];

  it("removes the customers that it made up, and no others", async () => {
    const run = await done("load-test", "--url", url, ...BURST, "--json");
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ customers_answered: 2, erased: 2 });
    expect((await counts()).conversations).toBe(2);
  });

  it("also when it is interrupted", async () => {
    const run = lull("load-test", "--url", url, "--customers", "2", "--messages", "500", "--gap-ms", "200");
    await eventually("it writes", async () => (await counts()).conversations === 4 || undefined);
    run.kill("SIGINT");
    expect((await run.gone()).code).toBe(130);
    expect(await counts()).toMatchObject({ conversations: 2, staged: 0 });
  });

  it("--clean removes those of a run that was killed, and --keep leaves them", async () => {
    const run = lull("load-test", "--url", url, "--customers", "2", "--messages", "500", "--gap-ms", "200");
    await eventually("it writes", async () => (await counts()).conversations === 4 || undefined);
    run.kill("SIGKILL");
    await run.gone();
    expect((await done("load-test", "--url", url, ...BURST, "--keep")).code).toBe(0);
    expect((await counts()).conversations).toBe(6);
    const clean = await done("load-test", "--url", url, "--clean", "--json");
    expect([clean.code, JSON.parse(clean.stdout)]).toEqual([0, { erased: 4 }]);
    expect((await counts()).conversations).toBe(2);
  });
});
