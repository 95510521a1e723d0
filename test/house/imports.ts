import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { BASE, FOR_TESTS, LEAVES, OPTIONAL, RULES, type Rule } from "./import-rules.ts";
import { isBeside, isTest, textOf } from "./sources.ts";

const RULES_AT = "test/house/import-rules.ts";
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
};

interface Import {
  readonly specifier: string;
  readonly typesOnly: boolean;
  readonly onDemand?: true;
}

/**
 * Statements start a line, as the formatter leaves them; what starts a worker thread counts as an import,
 * too.
 */
function importsIn(source: string): Import[] {
  const named = source.matchAll(/^(?:import|export)\s+(type\s+)?([\w\s{},*$]*?)\bfrom\s+"([^"]+)"/gm);
  const bare = source.matchAll(/^import\s+"([^"]+)"/gm);
  const dynamic = source.matchAll(/\bimport\(\s*"([^"]+)"/g);
  const threads = source.matchAll(/\bnew URL\(\s*"(\.[^"]+\.[jt]s)",\s*import\.meta\.url/g);
  return [
    ...[...named].map(([, type, names = "", specifier = ""]) => ({
      specifier,
      typesOnly: type !== undefined || isTypes(names),
    })),
    ...[...bare, ...threads].map(([, specifier = ""]) => ({ specifier, typesOnly: false })),
    ...[...dynamic].map(([, specifier = ""]) => ({
      specifier,
      typesOnly: false,
      onDemand: true as const,
    })),
  ];
}

function isTypes(names: string): boolean {
  const each = names.replaceAll(/[{}]/g, "").split(",");
  return each.every((name) => name.trim() === "" || name.trim().startsWith("type "));
}

/** What a source imports and its part of the house may not, in words. */
export function forbiddenImports(path: string, source: string): string[] {
  const rule = ruleFor(path);
  if (rule === undefined)
    return [`${path} is in a part of the house that has no rule: add one to ${RULES_AT}`];
  return importsIn(source)
    .filter((each) => !mayImport(rule, path, each))
    .map(
      ({ specifier, typesOnly }) => `${path} may not import ${typesOnly ? "types from " : ""}${specifier}`,
    );
}

function ruleFor(path: string): Rule | undefined {
  const [folder = "", inner] = path.split("/");
  const inside = `${folder}/${inner}`;
  const isInside = LEAVES.includes(folder) || isBeside(path) || Object.hasOwn(RULES, inside);
  const own = isInside ? inside : folder;
  const rule = RULES[own] ?? RULES[folder] ?? (isTest(path) ? { imports: BASE } : undefined);
  return rule && { ...rule, imports: rule.imports.map((name) => (name === "own folder" ? own : name)) };
}

function mayImport(rule: Rule, path: string, { specifier, typesOnly, onDemand }: Import): boolean {
  if (specifier.startsWith("node:")) return isTest(path) || (rule.builtins?.includes(specifier) ?? true);
  if (!specifier.startsWith(".")) return isInstalled(specifier, path);
  // Node runs the sources as they are, so an import has to name the file as it is.
  if (!/\.(ts|json)$/.test(specifier)) return false;
  const target = posix.join(posix.dirname(path), specifier);
  if (isOptional(target) && !isOptional(path) && !isTest(path))
    return onDemand === true && (rule.onDemand ?? []).some((area) => target.startsWith(`${area}/`));
  const areas = [
    ...rule.imports,
    ...(typesOnly ? (rule.types ?? []) : []),
    ...(isTest(path) ? FOR_TESTS : []),
  ];
  return (
    areas.some((area) =>
      area === "outside" ? target.startsWith("..") : target === area || target.startsWith(`${area}/`),
    ) ||
    (isTest(path) && posix.dirname(target) === posix.dirname(path))
  );
}

/**
 * A user who installs the package gets its `dependencies` and nothing else; optional subpaths say themselves
 * what they need.
 */
function isInstalled(specifier: string, path: string): boolean {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const { dependencies, devDependencies, peerDependencies } = manifest;
  const isForDevelopers = isTest(path) || /^(?:web\/build|tools|bench)\//.test(path);
  const installed = {
    ...dependencies,
    ...(isOptional(path) && peerDependencies),
    ...(isForDevelopers && devDependencies),
  };
  return Object.hasOwn(installed, name) || Object.hasOwn(installed, `@types/${name}`);
}

function isOptional(path: string): boolean {
  return OPTIONAL.some((folder) => path.startsWith(`${folder}/`));
}

export function targetsIn(path: string): string[] {
  return importsIn(textOf(path))
    .filter(({ specifier, onDemand }) => specifier.startsWith(".") && !onDemand)
    .map(({ specifier }) => posix.join(posix.dirname(path), specifier));
}
