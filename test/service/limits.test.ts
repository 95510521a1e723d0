import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { limitCases } from "./cases/limits.ts";
import { oneMachine } from "./one-machine.ts";
import { tell } from "./platform.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings | undefined;
let unmount: (() => Promise<void>) | undefined;
afterEach(async () => {
  await at?.stop();
  await unmount?.();
  unmount = undefined;
  await at?.end();
  at = undefined;
});

async function run(command: string, ...args: string[]): Promise<boolean> {
  const [code] = await once(spawn(command, args, { stdio: "ignore" }), "close").catch(() => [1]);
  return code === 0;
}

/** A disk small enough to be filled, for the database. */
async function smallDisk(place: Surroundings): Promise<string> {
  const disk = join(place.folder, "disk");
  expect(await run("mkdir", disk)).toBe(true);
  expect(await run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk)).toBe(true);
  unmount = async () => void (await run("umount", "-l", disk));
  place.env.LULL_DB = join(disk, "lull.db");
  return disk;
}

/** The file that takes what is left of the disk. */
async function fill(disk: string): Promise<string> {
  const filler = join(disk, "filler");
  const { bavail, bsize } = await statfs(disk);
  const file = await open(filler, "w");
  await file.write(Buffer.alloc(bavail * bsize)).catch(() => {});
  await file.close();
  return filler;
}

tell(oneMachine, limitCases(oneMachine));

// A disk small enough to fill has to be mounted, which only root may do.
it.skipIf(process.getuid?.() !== 0)(
  "on a full disk the webhook is answered 503, and it recovers when space returns",
  async () => {
    const place = await surroundings();
    at = place;
    const disk = await smallDisk(place);
    const service = await place.start(2);
    expect((await place.write(1, "before")).status).toBe(200);

    const filler = await fill(disk);
    let acknowledged = 0;
    await eventually("a refusal", async () => {
      const { status } = await place.write(2, `x`.repeat(1_000));
      if (status === 200) acknowledged += 1;
      else expect(status).toBe(503);
      return status === 503 ? true : undefined;
    });
    await rm(filler);
    await eventually("an acknowledgement", async () =>
      (await place.write(3, "after")).status === 200 ? true : undefined,
    );
    await service.event("the store's return", ({ event }) => event === "store.back");
    await eventually("every acknowledged message in a turn", async () => {
      const { staged, turns } = await place.counts();
      return staged === 0 && turns! >= (acknowledged > 0 ? 3 : 2) ? true : undefined;
    });
    const heard = place.openai.asked.map(({ lastUserText }) => lastUserText);
    expect(heard.filter((text) => text === "before")).toHaveLength(1);
    expect(heard.filter((text) => text === "after")).toHaveLength(1);
    expect(
      heard
        .join("\n")
        .split("\n")
        .filter((text) => text.startsWith("xxx")).length,
    ).toBeGreaterThanOrEqual(acknowledged);
  },
  60_000,
);

it.skipIf(process.getuid?.() !== 0)(
  "on a full disk a command says that it is full, also where the files beside the database are to be made",
  async () => {
    const place = await surroundings();
    at = place;
    const disk = await smallDisk(place);
    const service = await place.start(1);
    service.kill("SIGTERM");
    await service.gone();
    await fill(disk);
    const locks = place.lull("locks");
    expect((await locks.gone()).code).not.toBe(0);
    expect(locks.stderr).toContain("the disk is full");
  },
  60_000,
);
