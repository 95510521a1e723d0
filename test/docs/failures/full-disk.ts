import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { join } from "node:path";
import { Place } from "./place.ts";
import type { Said } from "./said.ts";

/** On a disk of a few megabytes that another file has filled. */
export async function fullDisk(): Promise<Said> {
  const place = await Place.make();
  const disk = join(place.at.folder, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]);
  try {
    place.at.env.LULL_DB = join(disk, "lull.db");
    await place.start();
    const { bavail, bsize } = await statfs(disk);
    const filler = await open(join(disk, "filler"), "w");
    await filler.write(Buffer.alloc(bavail * bsize)).catch(() => {});
    await filler.close();
    while ((await place.at.write(1, "x".repeat(1_000), { to: place.url })).status === 200);
    return await place.look();
  } finally {
    await place.at.stop();
    execFileSync("umount", ["-l", disk]);
    await place.end();
  }
}
