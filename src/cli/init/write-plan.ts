import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Call } from "../command.ts";
import { UsageError } from "../usage-error.ts";
import type { Plan } from "./plan.ts";

/** Writes it, and returns the paths. No file that is there is lost unasked. */
export async function writePlan(call: Call, folder: string, { files, additions }: Plan): Promise<string[]> {
  const wanted = Object.keys(files);
  const there = await existing(folder, wanted);
  const kept = call.options.force === true ? [] : await keptOf(call, there);
  const texts = { ...files, ...additions };
  const written = Object.keys(texts).filter((path) => !kept.includes(path));
  for (const path of written) {
    const full = join(folder, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, texts[path]!);
  }
  return written;
}

async function existing(folder: string, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(join(folder, path)).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** Asked before anything is written. */
async function keptOf({ io, options }: Call, there: readonly string[]): Promise<string[]> {
  if (there.length === 0) return [];
  if (io.ask === undefined || options.yes === true)
    throw new UsageError(`${there.join(", ")}: there already. Nothing was written; --force writes them anew`);
  const kept: string[] = [];
  for (const path of there) {
    const answer = await io.ask(`${path} is there already. Write it anew? (y/N) `);
    if (!/^y(es)?$/i.test(answer.trim())) kept.push(path);
  }
  return kept;
}
