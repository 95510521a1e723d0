import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../usage-error.ts";

export type Names = Record<string, string>;

export interface Manifest {
  name?: string;
  private?: boolean;
  type?: string;
  scripts?: Names;
  dependencies?: Names;
  devDependencies?: Names;
  peerDependencies?: Names;
  [other: string]: unknown;
}

/** The manifest of a folder; undefined where there is none. */
export async function manifestIn(folder: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UsageError(`package.json of ${folder} cannot be read: ${(error as Error).message}`);
  }
}
