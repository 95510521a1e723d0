import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { awsFiles } from "./aws-files.ts";
import type { Choices } from "./choices.ts";
import { configFile, responderFile } from "./config-file.ts";
import { COMPOSE, DOCKER_IGNORE, unitFile } from "./deploy-files.ts";
import { environmentExample } from "./environment-example.ts";
import type { LullSource } from "./lull-source.ts";
import { manifestIn } from "./manifest.ts";
import { type Merged, merged, nameOf, runnerOf, TSCONFIG } from "./package-file.ts";
import type { Place } from "./place.ts";
import { testFile } from "./test-file.ts";

/** What is written, by path from the project's folder. */
export interface Plan {
  readonly testCommand: string;
  /** Whether its package.json names what is not installed. */
  readonly isToInstall: boolean;
  /** Written anew: one that is there is asked for. */
  readonly files: Readonly<Record<string, string>>;
  /** What is there stays in them, and something is added. */
  readonly additions: Readonly<Record<string, string | Uint8Array>>;
}

interface PlanRequest {
  readonly place: Place;
  readonly choices: Choices;
  readonly source: LullSource;
  /** Where the running Lull is. */
  readonly packageFolder: string;
}

const IGNORED = ["node_modules/", ".env", "data/"];

export async function planned({ place, choices, source, packageFolder }: PlanRequest): Promise<Plan> {
  const { folder, found } = place;
  const lull = (await manifestIn(packageFolder)) ?? {};
  const { manifest, testCommand, added }: Merged = merged({ place, choices, source, lull });
  const own = responderFile(choices);
  const isOnAws = choices.engine === "aws";
  return {
    testCommand,
    isToInstall: source.kind !== "installed" || added.length > 0,
    files: {
      "lull.config.ts": configFile(choices),
      ...(own && { [own[0]]: own[1] }),
      "lull.test.ts": testFile(choices, runnerOf(found)),
      ".env.example": environmentExample(choices),
      ...(isOnAws ? awsFiles(choices) : {}),
      ...(choices.deploy === "compose" && { "compose.yaml": COMPOSE, ".dockerignore": DOCKER_IGNORE }),
      ...(choices.deploy === "systemd" && { "lull.service": await unitFile(packageFolder, nameOf(folder)) }),
    },
    additions: {
      ...(source.kind === "file" && { [source.name]: source.bytes }),
      "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
      ".gitignore": await withLines(join(folder, ".gitignore"), [
        ...IGNORED,
        ...(isOnAws ? ["cdk.out/"] : []),
      ]),
      ...(!place.names.includes("tsconfig.json") && { "tsconfig.json": TSCONFIG }),
    },
  };
}

/** The file with the lines that it has not got yet. */
async function withLines(path: string, lines: readonly string[]): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  const there = new Set(text.split("\n").map((line) => line.trim().replace(/^\//, "").replace(/\/$/, "")));
  const missing = lines.filter((line) => !there.has(line.replace(/\/$/, "")));
  const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return start + missing.map((line) => `${line}\n`).join("");
}
