import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, run, stagePackage } from "./staged-package.ts";

/** A project that has installed what `npm pack` makes, and nothing else. */
export interface PackedProject {
  readonly folder: string;
  /** What the tarball holds. */
  readonly packed: readonly string[];
  /** The file that `npm pack` made. */
  readonly tarball: string;
  /** Where the package is installed. */
  readonly installed: string;
  /** What a page tells its reader to install beside it. */
  add(...packages: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export async function packedProject(): Promise<PackedProject> {
  const around = await mkdtemp(join(tmpdir(), "lull-packed-"));
  const [staged, folder] = [join(around, "staged"), join(around, "project")];
  await stagePackage(staged);
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", around];
  const [tarball] = JSON.parse(await run("npm", pack, staged));
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "name": "a-project", "private": true, "type": "module" }');
  const install = ["install", "--offline", "--no-audit", "--no-fund", join(around, tarball.filename)];
  await run("npm", install, folder);
  return {
    folder,
    packed: tarball.files.map(({ path }: { path: string }) => path),
    tarball: join(around, tarball.filename),
    installed: join(folder, "node_modules/lull"),
    add: (...packages) => linkPackages(folder, packages),
    remove: () => rm(around, { recursive: true, force: true }),
  };
}

/** As installed here: a registry is not asked. A scope stands for all of its packages. */
export async function linkPackages(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(join(folder, "node_modules"), { recursive: true });
  for (const name of packages)
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
}
