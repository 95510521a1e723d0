import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Manifest, manifestIn } from "./manifest.ts";
import type { Place } from "./place.ts";

/** How the project gets Lull. */
export type LullSource =
  | { readonly kind: "installed" }
  /** Its package.json says it already, or is to say it. */
  | { readonly kind: "named"; readonly spec: string | undefined }
  /** A file of the project's own: a link out of its folder breaks when it is copied. */
  | { readonly kind: "file"; readonly name: string; readonly bytes: Uint8Array }
  /** A clone makes that file by its build, which is left to the person. */
  | { readonly kind: "to-pack"; readonly folder: string };

const TARBALL = /\.(?:tgz|tar\.gz)$/;
/** What means something only where it stands. */
const LOCAL = /^(?:file|link|portal|workspace|catalog|patch):|^[./~]/;

export async function lullSource(place: Place, packageFolder: string): Promise<LullSource> {
  // Found as the project's own files would find it.
  if (await isThere(join(place.folder, "node_modules/lull/package.json"))) return { kind: "installed" };
  if (specIn(place.found) !== undefined) return { kind: "named", spec: undefined };
  // A clone is built by packing it; what is installed was.
  if (await isThere(join(packageFolder, "src"))) return { kind: "to-pack", folder: packageFolder };
  const around = resolve(packageFolder, "../..");
  const spec = specIn(await manifestIn(around).catch(() => undefined));
  if (spec !== undefined && !LOCAL.test(spec)) return { kind: "named", spec };
  const packed = spec !== undefined && TARBALL.test(spec) ? await fileAt(around, spec) : undefined;
  return packed ?? (await packedAnew(packageFolder)) ?? { kind: "to-pack", folder: packageFolder };
}

function specIn(manifest: Manifest | undefined): string | undefined {
  return manifest?.dependencies?.lull ?? manifest?.devDependencies?.lull;
}

async function fileAt(around: string, spec: string): Promise<LullSource | undefined> {
  const path = resolve(around, spec.replace(/^file:/, ""));
  try {
    return { kind: "file", name: basename(path), bytes: await readFile(path) };
  } catch {
    // It was for installing, and may be gone.
    return undefined;
  }
}

/** What is installed is built: it takes a second. Undefined where there is no npm. */
async function packedAnew(packageFolder: string): Promise<LullSource | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "lull-pack-"));
  try {
    const args = ["pack", packageFolder, "--ignore-scripts", "--silent", "--pack-destination", folder];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: dirname(packageFolder) });
    return await fileAt(folder, stdout.trim());
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
