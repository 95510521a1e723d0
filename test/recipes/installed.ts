import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../staged-package.ts";

const RECIPES = join(ROOT, "examples/recipes");
/** Kept from one run to the next. Not beside the recipes: what reads the examples would read it, too. */
const CACHE = join(ROOT, "node_modules/.cache/recipes");

/** The recipes in a folder of their own, beside the packages that they name. The caller removes it. */
export async function installedRecipes(): Promise<string> {
  const manifest = readFileSync(join(RECIPES, "package.json"), "utf8");
  await install(manifest);
  const folder = mkdtempSync(join(tmpdir(), "lull-recipes-"));
  for (const name of globSync("*.ts", { cwd: RECIPES })) cpSync(join(RECIPES, name), join(folder, name));
  symlinkSync(join(CACHE, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), manifest);
  const config = {
    extends: join(RECIPES, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(ROOT, "node_modules/@types")] },
    include: ["*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return folder;
}

async function install(manifest: string): Promise<void> {
  const done = join(CACHE, "installed.json");
  if (textOf(done) === manifest) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, "package.json"), manifest);
  // In the environment as it is: how npm reaches its packages is said there.
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  await promisify(execFile)("npm", args, { cwd: CACHE });
  writeFileSync(done, manifest);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
