import { relative } from "node:path";
import type { CallExpression, Expression } from "typescript/unstable/ast";
import { isCallExpression, isStringLiteral } from "typescript/unstable/ast/is";
import { SymbolFlags } from "typescript/unstable/sync";
import { SUMS } from "../../src/runtime/sampled-log.ts";
import { ROOT } from "../staged-package.ts";
import { membersOf, nodesIn, type Sources } from "./compiler.ts";

export interface LogEvent {
  readonly event: string;
  readonly level: string;
  /** As they are named; with a question mark where some lines lack them. */
  readonly fields: readonly string[];
}

type Fields = ReadonlyMap<string, "always" | "sometimes">;

/** One call that logs, as the compiler sees it. */
interface LogCall {
  readonly event: string;
  readonly level: string;
  readonly fields: Fields;
}

export interface Logged {
  readonly events: readonly LogEvent[];
  /** Files that hand on what they are given: their events are named elsewhere. */
  readonly forwarding: readonly string[];
}

/** Everything that the sources log: every call of something that takes a level and an event. */
export function loggedIn(sources: Sources): Logged {
  const calls: LogCall[] = [];
  const forwarding = new Set<string>();
  for (const path of sources.program.getSourceFileNames()) {
    const file = relative(ROOT, path);
    if (!file.startsWith("src/") || file.startsWith("src/testing/")) continue;
    for (const node of nodesIn(sources.program.getSourceFile(path)!)) {
      if (!isCallExpression(node) || !takesEvent(sources, node)) continue;
      const [level, event, ...fields] = node.arguments;
      if (level && event && isStringLiteral(level) && isStringLiteral(event))
        calls.push(...linesOf(sources, level.text, event.text, fields));
      else forwarding.add(file);
    }
  }
  return { events: merged(calls), forwarding: [...forwarding].toSorted() };
}

/** By the names of its parameters: a log, a sampled log, or whatever ends the process with a word. */
function takesEvent({ checker }: Sources, call: CallExpression): boolean {
  if (call.arguments.length < 2) return false;
  const signature = checker.getResolvedSignature(call);
  const names = signature?.getParameters().map(({ name }) => name) ?? [];
  return names[0] === "level" && names[1] === "event";
}

/** The line itself, and where it is sampled the one that tells a minute later how many more there were. */
function linesOf(sources: Sources, level: string, event: string, given: readonly Expression[]): LogCall[] {
  const line = { level, event, fields: fieldsOf(sources, given) };
  // At `debug` a refusal is a line of its own, and no sum counts it.
  if (!isSampled(event) || level === "debug") return [line];
  const [sumLevel, sum] = SUMS[event];
  const apart = fieldsOf(sources, given.slice(0, 1));
  return [line, { level: sumLevel, event: sum, fields: new Map([...apart, ["more", "always"]]) }];
}

function isSampled(event: string): event is keyof typeof SUMS {
  return Object.hasOwn(SUMS, event);
}

function fieldsOf({ checker }: Sources, given: readonly Expression[]): Fields {
  const found = new Map<string, "always" | "sometimes">();
  for (const argument of given) {
    const type = checker.getTypeAtLocation(argument)!;
    const kinds = membersOf(type);
    for (const kind of kinds) {
      for (const field of checker.getPropertiesOfType(kind)) {
        const inAll = kinds.every((each) => checker.getPropertyOfType(each, field.name));
        const mayLack = /\bundefined\b/.test(checker.typeToString(checker.getTypeOfSymbol(field)!));
        const isSure = inAll && !mayLack && !(field.flags & SymbolFlags.Optional);
        found.set(field.name, isSure ? "always" : "sometimes");
      }
    }
  }
  return found;
}

/** One row for each event at each level. */
function merged(calls: readonly LogCall[]): LogEvent[] {
  const rows = Map.groupBy(calls, ({ event, level }) => `${event} ${level}`);
  return [...rows.values()].map((same) => {
    const names = new Set(same.flatMap(({ fields }) => [...fields.keys()]));
    const isSure = (name: string) => same.every(({ fields }) => fields.get(name) === "always");
    const fields = [...names].map((name) => (isSure(name) ? name : `${name}?`));
    return { event: same[0]!.event, level: same[0]!.level, fields };
  });
}
