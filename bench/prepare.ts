import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, loadavg, type as systemName, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { ROOT } from "../test/staged-package.ts";
import { removeFolder, temporaryFolder } from "./left-behind.ts";
import own from "./package.json" with { type: "json" };
import { redisVersion } from "./redis.ts";
import type { Results } from "./results.ts";
import { durabilityOfLull, type ServerName } from "./servers.ts";

const HERE = join(ROOT, "bench");
const run = promisify(execFile);

export type Surroundings = Pick<Results, "machine" | "versions" | "durability" | "skipped">;

/** Builds Lull, installs its peers where they are not, and says what there is to measure. */
export async function prepare(servers: readonly ServerName[]): Promise<Surroundings> {
  const loadBefore = Math.round((loadavg()[0] ?? 0) * 10) / 10;
  console.error("building lull");
  await run("npm", ["run", "build"], { cwd: ROOT });
  const redis = await redisVersion();
  const missing = servers.includes("bullmq") ? await missingFor(redis) : "not asked for";
  const isLullThere = servers.includes("lull");
  return {
    machine: {
      cores: availableParallelism(),
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: systemName(),
      node: process.versions.node,
      loadBefore,
    },
    versions: { lull: manifest.version, bullmq: own.dependencies.bullmq, redis: redis ?? "none" },
    durability: [
      ...(isLullThere ? [await readBack()] : []),
      ...(missing === undefined ? ["Redis appendonly, appendfsync=always, read back at every start"] : []),
    ],
    skipped: missing === undefined ? [] : [`BullMQ (${missing})`],
  };
}

async function missingFor(redis: string | undefined): Promise<string | undefined> {
  if (redis === undefined) return "there is no redis-server on this machine";
  try {
    await install();
    return undefined;
  } catch {
    return "npm could not install it";
  }
}

/** Not `npm ci`: that refuses a lock that names the native parts of one platform only. */
async function install(): Promise<void> {
  for (const [name, version] of Object.entries(own.dependencies)) {
    if ((await installedVersion(name)) === version) continue;
    console.error("installing the peers into bench/node_modules");
    await run("npm", ["install", "--no-save", "--no-audit", "--no-fund"], { cwd: HERE });
    return;
  }
}

async function installedVersion(name: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(HERE, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return undefined;
  }
}

async function readBack(): Promise<string> {
  const folder = temporaryFolder("lull-bench-");
  try {
    return await durabilityOfLull(folder);
  } finally {
    removeFolder(folder);
  }
}
