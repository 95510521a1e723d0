import { chmod, chown, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const folder = processFolder();

const ENV = { PORT: "0", LULL_WEB: "1", LULL_DB: "data/lull.db" };

function lull(...args: string[]): LullProcess {
  return folder.start(args, { env: ENV, umask: "000" });
}

/** Only root can become another user. */
const mayBecomeAnother = process.getuid?.() === 0;

function lullOfAnother(...args: string[]): LullProcess {
  return folder.start(args, { env: ENV, uid: 65_534 });
}

async function rightsOf(name: string): Promise<string> {
  return ((await stat(join(folder.path, name))).mode & 0o777).toString(8);
}

describe("what people wrote is its owner's alone, whatever the umask:", () => {
  async function rightsTold(...args: string[]): Promise<string> {
    const doctor = lull("doctor", "--offline", ...args);
    expect((await doctor.gone()).code).toBe(0);
    return doctor.stdout
      .split("\n")
      .filter((line) => line.includes("  rights: "))
      .join("\n");
  }

  it("the database with its log, its backups, and the folders that are made for them", async () => {
    const service = lull("start");
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ id: "m1", sender: "visitor-0001", text: "hi" });
    expect(
      (await fetch(`${await service.url()}/webhooks/web`, { method: "POST", body, headers })).status,
    ).toBe(200);
    expect((await lull("backup", "copies/one.db").gone()).code).toBe(0);
    expect((await readdir(join(folder.path, "data"))).toSorted()).toEqual([
      "lull.db",
      "lull.db-shm",
      "lull.db-wal",
    ]);
    for (const name of ["data/lull.db", "data/lull.db-shm", "data/lull.db-wal", "copies/one.db"])
      expect([name, await rightsOf(name)]).toEqual([name, "600"]);
    expect([await rightsOf("data"), await rightsOf("copies")]).toEqual(["700", "700"]);
    const doctor = lull("doctor", "--offline");
    await doctor.gone();
    expect(doctor.stdout).not.toMatch(/rights:/);
  });

  it.skipIf(!mayBecomeAnother)(
    "another user is told that it is not theirs, not that it is not there",
    async () => {
      const service = lull("start");
      await service.url();
      await chmod(folder.path, 0o755);
      const another = lullOfAnother("conversations");
      expect((await another.gone()).code).toBe(1);
      expect(another.stderr).toMatch(/this user may not use the database at .*sudo -u/);
    },
  );

  it.skipIf(!mayBecomeAnother)(
    "a file that root put in place is told of, with its owner, its rights and what to do",
    async () => {
      const service = lull("start");
      await service.url();
      service.kill("SIGTERM");
      await service.gone();
      await chmod(folder.path, 0o755);
      await chown(join(folder.path, "data"), 65_534, 65_534);
      const whose =
        /data\/lull\.db belongs to user 0 with rights 600, and this is user 65534: chown 65534 \S*lull\.db/;
      const start = lullOfAnother("start");
      expect((await start.gone()).code).toBe(1);
      expect(start.stderr).toMatch(whose);
      const doctor = lullOfAnother("doctor", "--offline");
      expect((await doctor.gone()).code).toBe(1);
      expect(doctor.stdout).toMatch(whose);
    },
  );

  it("one that others may read is left as it is, and the doctor tells", async () => {
    const service = lull("start");
    await service.url();
    await chmod(join(folder.path, "data/lull.db"), 0o640);
    const doctor = lull("doctor", "--offline");
    expect((await doctor.gone()).code).toBe(0);
    expect(doctor.stdout).toMatch(/^warn {2}rights: others .* chmod 600 .*lull\.db$/m);
    service.kill("SIGKILL");
    await service.gone();
    await lull("start").url();
    expect(await rightsOf("data/lull.db")).toBe("640");
  });

  it("backups and folders that others may read are told of, too", async () => {
    const service = lull("start");
    await service.url();
    for (const name of ["backups/one.db", "data/backups/two.db", "data/three.db"])
      expect((await lull("backup", name).gone()).code).toBe(0);
    await writeFile(join(folder.path, "backups/notes.txt"), "no database");
    for (const name of ["backups/one.db", "data/backups/two.db", "data/three.db", "backups/notes.txt"])
      await chmod(join(folder.path, name), 0o644);
    for (const name of ["data", "backups", "data/backups"]) await chmod(join(folder.path, name), 0o755);
    const told = await rightsTold();
    expect(told).toMatch(/chmod 600 \S*data\/three\.db \S*data\/backups\/two\.db \S*backups\/one\.db$/m);
    expect(told).toMatch(/chmod 700 \S*\/data \S*\/data\/backups \S*\/backups$/m);
    for (const name of ["backups/one.db", "data/backups/two.db", "data/three.db"])
      await chmod(join(folder.path, name), 0o600);
    for (const name of ["data", "backups", "data/backups"]) await chmod(join(folder.path, name), 0o700);
    expect(await rightsTold()).toBe("");
  });

  it("the folder of the project may be open to every user: only what is in it is told of", async () => {
    await chmod(folder.path, 0o755);
    const service = lull("start", "--db", "lull.db");
    await service.url();
    expect(await rightsTold("--db", "lull.db")).toBe("");
  });
});
