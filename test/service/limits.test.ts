import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings;
let unmount: (() => Promise<void>) | undefined;
afterEach(async () => {
  await at.stop();
  await unmount?.();
  unmount = undefined;
  await at.end();
});

async function counts() {
  return (await at.api("/counts")) as Record<string, number>;
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  const [code] = await once(spawn(command, args, { stdio: "ignore" }), "close").catch(() => [1]);
  return code === 0;
}

/** The most memory that any worker of a service ever had, as the kernel counts it; 0 where it does not tell. */
async function peakMegabytes(parent: number | undefined): Promise<number> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8").catch(() => "");
  const peaks = children.split(" ").map(async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  });
  return Math.max(0, ...(await Promise.all(peaks)));
}

it("ten thousand conversations due in the same second are all answered once, in bounded memory", async () => {
  at = await surroundings({
    LULL_WINDOW_SECONDS: "12",
    LULL_WEB: "1",
    OPENAI_API_KEY: "",
    OPENAI_BASE_URL: "",
  });
  const service = await at.start(2);
  const total = 10_000;
  let next = 0;
  const customer = async () => {
    while (next < total) {
      next += 1;
      const body = JSON.stringify({ id: "m1", sender: `visitor-${next}`, text: "hi" });
      const response = await at.post("/webhooks/web", {
        body,
        headers: { "content-type": "application/json" },
      });
      expect(response.status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: 64 }, customer));
  await eventually("all turns", async () => ((await counts()).turns === total ? true : undefined), 60_000);
  expect(await counts()).toMatchObject({
    conversations: total,
    staged: 0,
    windows: 0,
    leases: 0,
    dead: 0,
    unknown: 0,
  });
  expect(service.events.filter(({ level }) => level === "error")).toEqual([]);
  const peak = await peakMegabytes(service.child.pid);
  if (process.platform === "linux") expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(400);
}, 90_000);

// A disk small enough to fill has to be mounted, which only root may do.
it.skipIf(process.getuid?.() !== 0)(
  "on a full disk the webhook is answered 503, and it recovers when space returns",
  async () => {
    at = await surroundings();
    const disk = join(at.folder, "disk");
    expect(await run("mkdir", disk)).toBe(true);
    expect(await run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk)).toBe(true);
    unmount = async () => void (await run("umount", "-l", disk));
    at.env.LULL_DB = join(disk, "lull.db");
    await at.start(2);
    expect((await at.write(1, "before")).status).toBe(200);

    const filler = join(disk, "filler");
    const { bavail, bsize } = await statfs(disk);
    const file = await open(filler, "w");
    await file.write(Buffer.alloc(bavail * bsize)).catch(() => {});
    await file.close();
    let acknowledged = 0;
    await eventually("a refusal", async () => {
      const { status } = await at.write(2, `x`.repeat(1_000));
      if (status === 200) acknowledged += 1;
      else expect(status).toBe(503);
      return status === 503 ? true : undefined;
    });
    await rm(filler);
    await eventually("an acknowledgement", async () =>
      (await at.write(3, "after")).status === 200 ? true : undefined,
    );
    await eventually("every acknowledged message in a turn", async () => {
      const { staged, turns } = await counts();
      return staged === 0 && turns! >= (acknowledged > 0 ? 3 : 2) ? true : undefined;
    });
    const heard = at.openai.requests.map(({ lastUserText }) => lastUserText);
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
