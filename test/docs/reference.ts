import {
  type Symbol as Declared,
  type InterfaceType,
  NodeBuilderFlags,
  SymbolFlags,
} from "typescript/unstable/sync";
import { exportsOf, type Sources } from "./compiler.ts";

/** `<!-- reference src/index.ts LullConfig -->`, what is written, `<!-- end -->`. */
const PLACE = /<!-- reference (\S+) (\w+) -->\n([\s\S]*?)<!-- end -->/g;

/** Whose every export has a place in a page. */
export const ENTRIES = ["src/index.ts", "src/testing/index.ts"] as const;

export interface ReferencedExport {
  readonly file: string;
  readonly name: string;
}

/** What a page tells of, by its places. */
export function placesIn(page: string): ReferencedExport[] {
  return [...page.matchAll(PLACE)].map(([, file = "", name = ""]) => ({ file, name }));
}

/** The page with every place written anew. What only the page says of a member stays. */
export function withReference(page: string, sources: Sources): string {
  return page.replaceAll(PLACE, (_, file: string, name: string, before: string) => {
    const symbol = exportsOf(sources, file).get(name);
    if (symbol === undefined) throw new Error(`${file} exports no ${name}`);
    return `<!-- reference ${file} ${name} -->\n${written(sources, symbol, before)}\n\n<!-- end -->`;
  });
}

function written(sources: Sources, symbol: Declared, before: string): string {
  const about = sources.checker.getDocumentationCommentOfSymbol(symbol);
  const told = about === "" ? proseIn(before) : about;
  return [told, ...bodyOf(sources, symbol, before)].filter((part) => part !== "").join("\n\n");
}

/** What stands in front of the table, or of the code. */
function proseIn(before: string): string {
  return before.split(/^(?:\||```|Numbers, |And everything of )/m, 1)[0]!.trim();
}

function bodyOf(sources: Sources, symbol: Declared, before: string): string[] {
  const numbers = numbersOf(sources, symbol);
  if (numbers) return [`Numbers, each optional: ${numbers.join(", ")}.`];
  const members = membersOf(sources, symbol);
  if (members === undefined) return [declarationOf(symbol)];
  const bases = toldBasesOf(sources, checkedType(sources, symbol));
  const inherited = new Set(bases.flatMap((base) => membersOf(sources, base)!.map(({ name }) => name)));
  const own = members.filter(({ name }) => !inherited.has(name));
  const table = own.length === 0 ? [] : [tableOf(sources, own, before)];
  return [...table, ...bases.map(({ name }) => `${AND}\`${name}\`.`)];
}

const AND = "And everything of ";

function checkedType({ checker }: Sources, symbol: Declared): InterfaceType {
  return checker.getDeclaredTypeOfSymbol(symbol) as InterfaceType;
}

/** The nearest types that it extends and that have a place of their own. */
function toldBasesOf(sources: Sources, type: InterfaceType): Declared[] {
  return sources.checker.getBaseTypes(type).flatMap((base) => {
    const symbol = base.getSymbol();
    const isTold = ENTRIES.some(
      (file) => exportsOf(sources, file).get(symbol?.name ?? "")?.id === symbol?.id,
    );
    return symbol && isTold ? symbol : toldBasesOf(sources, base as InterfaceType);
  });
}

/** Undefined where a type is better shown as it is written: a choice, a function, a constant. */
function membersOf({ checker }: Sources, symbol: Declared): readonly Declared[] | undefined {
  const isNamed = symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const isCallable = checker.getSignaturesOfType(type, 0).length > 0;
  if (!isNamed || isCallable) return undefined;
  const own = checker.getPropertiesOfType(type);
  return symbol.flags & SymbolFlags.Class ? own.filter((each) => !isOfError(each)) : own;
}

function isOfError({ name }: Declared): boolean {
  return ["name", "message", "stack", "cause"].includes(name);
}

/** A type that is made from a table of numbers: their names say it, and another page what they mean. */
function numbersOf({ checker }: Sources, symbol: Declared): string[] | undefined {
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  const isNumber = (member: Declared) =>
    checker.typeToString(checker.getTypeOfSymbol(member)!) === "number | undefined";
  return members.length > 0 && members.every(isNumber) ? members.map(({ name }) => `\`${name}\``) : undefined;
}

function declarationOf(symbol: Declared): string {
  const text = symbol.declarations[0]?.resolve()?.getText() ?? "";
  return `\`\`\`typescript\n${withoutBody(symbol, text).replace(/^export /, "")}\n\`\`\``;
}

function withoutBody({ flags }: Declared, text: string): string {
  if (flags & SymbolFlags.Function) return text.slice(0, text.search(/ \{\n/));
  return flags & SymbolFlags.Variable ? `const ${text.slice(0, text.indexOf(" = "))}` : text;
}

function tableOf({ checker }: Sources, members: readonly Declared[], before: string): string {
  const rows = members.map((member) => {
    const isOptional = (member.flags & SymbolFlags.Optional) !== 0;
    const type = checker.typeToString(
      checker.getTypeOfSymbol(member)!,
      undefined,
      NodeBuilderFlags.NoTruncation,
    );
    const name = `\`${member.name}${isOptional ? "?" : ""}\``;
    const shown = `\`${inCell(isOptional ? plainer(type.replace(/ \| undefined$/, "")) : plainer(type))}\``;
    const about = inCell(checker.getDocumentationCommentOfSymbol(member));
    return `| ${name} | ${shown} | ${about === "" ? kept(before, name) : about} |`.replaceAll("|  |", "| |");
  });
  return ["| | type | |", "|---|---|---|", ...rows].join("\n");
}

/** Without what says the same twice: brackets around a function, `undefined` behind a question mark. */
function plainer(type: string): string {
  return type.replace(/^\((\(.*\) => .*)\)$/s, "$1").replaceAll(/\?: ([^,()]+) \| undefined/g, "?: $1");
}

function inCell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

function kept(before: string, name: string): string {
  const row = before.split("\n").find((line) => line.startsWith(`| ${name} |`));
  return row?.split(/(?<!\\)\|/)[3]?.trim() ?? "";
}
