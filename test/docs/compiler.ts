import { join } from "node:path";
import type { Node } from "typescript/unstable/ast";
import {
  API,
  type Checker,
  type Symbol as Declared,
  type Program,
  SymbolFlags,
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
