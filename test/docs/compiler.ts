import { join } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  API,
  type Checker,
  type Symbol as Declared,
  type Program,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync";
import { ROOT } from "../staged-package.ts";

/** The sources as the compiler understands them. What the docs say of types and calls is read from here. */
export interface Sources extends Disposable {
  readonly checker: Checker;
  readonly program: Program;
}

/** The compiler's API calls itself unstable; its version is pinned. */
export function openSources(): Sources {
  const api = new API({ cwd: ROOT });
  const [project] = api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.build.json")] }).getProjects();
  if (project === undefined) throw new Error("the compiler found no project");
  const { checker, program } = project;
  return { checker, program, [Symbol.dispose]: () => api.close() };
}

/** Every node below, itself included. */
export function* nodesIn(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* nodesIn(child);
}

/** What a module exports, each as it was declared. */
export function exportsOf({ checker, program }: Sources, file: string): ReadonlyMap<string, Declared> {
  const source = program.getSourceFile(join(ROOT, file));
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module`);
  return new Map(checker.getExportsOfModule(module).map((each) => [each.name, declared(checker, each)]));
}

function declared(checker: Checker, symbol: Declared): Declared {
  return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The words of a choice: those of a union of texts, or of what its members have as `kind`. */
export function kindsOf(sources: Sources, file: string, name: string): string[] {
  const { checker } = sources;
  const symbol = exportsOf(sources, file).get(name);
  if (symbol === undefined) throw new Error(`${file} exports no ${name}`);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return membersOf(type).map((member) => {
    const kind = checker.getPropertyOfType(member, "kind");
    const word = kind ? checker.getTypeOfSymbol(kind)! : member;
    return checker.typeToString(word).replaceAll('"', "");
  });
}

/** Of a union its types, else the type itself. */
export function membersOf(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes() : [type];
}
