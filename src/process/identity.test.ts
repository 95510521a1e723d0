import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isKnownDead, isNamedAfterItself, processIdentity } from "./identity.ts";

const SOURCE = fileURLToPath(new URL("identity.ts", import.meta.url));
const SAY = `const { processIdentity } = await import(${JSON.stringify(SOURCE)});
console.log(processIdentity());`;
const NODE = ["--input-type=module", "-e"];
/** A process that is number 1 of its own namespace, as in a container, and sees no other. */
const CONTAINER = [
  "unshare",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
  process.execPath,
  ...NODE,
] as const;
const noContainers =
  spawnSync("unshare", ["--pid", "--fork", "--kill-child", "--mount-proc", "true"]).status === 0
    ? undefined
    : "this user may not make namespaces";

describe("an identity", () => {
  test("is never given twice, not even to the same process", () => {
    expect(new Set(Array.from({ length: 1_000 }, processIdentity)).size).toBe(1_000);
  });

  test("of a process that runs is not known dead; of one that ended it is", async () => {
    const child = spawn(process.execPath, [...NODE, `${SAY} setInterval(() => {}, 1_000);`]);
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const identity = said.toString().trim();
    expect(isKnownDead(identity)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(isKnownDead(identity)).toBe(true);
  });

  test("of another machine, or none at all, says nothing", () => {
    const [, ...rest] = processIdentity().split("/");
    for (const identity of [["elsewhere", ...rest].join("/"), "worker-1", "", "a/b/c"])
      expect(isKnownDead(identity)).toBe(false);
  });

  test.runIf(process.platform === "linux")(
    "of an earlier boot of this machine is known dead, whichever process has its number now",
    () => {
      const [machine, pid, start, place = "", random] = processIdentity().split("/");
      const earlier = `00000000-${place.split("-")[1]}`;
      expect(isKnownDead([machine, pid, start, place, random].join("/"))).toBe(false);
      expect(isKnownDead([machine, pid, start, earlier, random].join("/"))).toBe(true);
      expect(isKnownDead([machine, pid, start, "?", random].join("/"))).toBe(false);
    },
  );
});

describe("the host name of a container", () => {
  const id = "0a1b2c3d4e5f".padEnd(64, "6");
  const ofDocker = `/var/lib/docker/containers/${id}/hostname`;
  const docker = `756 734 8:1 ${ofDocker} /etc/hostname rw,relatime - ext4 /dev/sda1 rw\n`;
  const ofPodman = `/containers/overlay-containers/${id}/userdata/hostname`;
  const podman = `811 790 0:25 ${ofPodman} /etc/hostname rw - tmpfs tmpfs rw\n`;

  test("is its own id where no other was chosen: an earlier start of it is over", () => {
    expect(isNamedAfterItself("0a1b2c3d4e5f", docker)).toBe(true);
    expect(isNamedAfterItself("0a1b2c3d4e5f", podman)).toBe(true);
  });

  test("that was chosen, or that is the host's, may be another container's, too", () => {
    for (const host of ["lull", "ip-10-0-0-1", "0a1b", ""])
      expect(isNamedAfterItself(host, docker)).toBe(false);
    expect(isNamedAfterItself("0a1b2c3d4e5f", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n")).toBe(false);
  });
});

describe.skipIf(noContainers)("two containers with the same host name", () => {
  const inContainer = (script: string) =>
    execFileSync(CONTAINER[0], [...CONTAINER.slice(1), script], { encoding: "utf8" }).trim();

  test("do not take each other for dead because their process numbers mean other processes", async () => {
    const child = spawn(CONTAINER[0], [...CONTAINER.slice(1), `${SAY} setInterval(() => {}, 1_000);`]);
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const alive = said.toString().trim();
    const ask = `const { isKnownDead, processIdentity } = await import(${JSON.stringify(SOURCE)});
      console.log(JSON.stringify([processIdentity(), isKnownDead(${JSON.stringify(alive)})]));`;
    const [other, verdict] = JSON.parse(inContainer(ask)) as [string, boolean];
    const [host, pid] = alive.split("/");
    expect(other.split("/").slice(0, 2)).toEqual([host, pid]);
    expect(pid).toBe("1");
    expect(verdict).toBe(false);
    // Nor does the machine around them, whose number 1 is another process altogether.
    expect(isKnownDead(alive)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "close");
  });
});
