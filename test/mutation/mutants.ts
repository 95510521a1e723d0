import { parseAst } from "vitest/node";

/** One small change of a source: what a slip of the hand could have written. */
export interface Mutant {
  /** Below the project's root. */
  readonly file: string;
  readonly line: number;
  /** That line's text: where it stands may change. */
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** `what stood there → what stands there now`. */
  readonly change: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Edit {
  readonly at: Pick<Node, "start" | "end">;
  readonly to: string;
}

/** Texts for people: no test holds their wording, and none should. */
const TOLD = new Set(["log", "Error", "LullError", "StoreUnavailable"]);
/** Fields whose value is one of a few words that code switches on. */
const WORDS = new Set(["kind", "retry", "outcome", "what", "how"]);

export function mutantsOf(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const lines = source.split("\n");
  const text = ({ start, end }: Pick<Node, "start" | "end">) => source.slice(start, end);
  const add = ({ at, to }: Edit) => {
    const { start, end } = at;
    const line = source.slice(0, start).split("\n").length;
    const change = `${short(text(at))} → ${short(to)}`;
    const same = found.filter((each) => each.line === line && each.change.startsWith(change)).length;
    const code = lines[line - 1]!.trim();
    const counted = same === 0 ? change : `${change} (${same + 1})`;
    found.push({ file, line, code, start, end, replacement: to, change: counted });
  };
  walk(parseAst(source, { lang: "ts" }) as unknown as Node, (node) => {
    for (const edit of editsOf(node, text)) add(edit);
  });
  return found;
}

export function mutated(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (isBeside(node)) return;
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

/** Types, imports and texts for people. Node only strips types, so there is no other TypeScript. */
function isBeside(node: Node): boolean {
  if (node.type === "ImportDeclaration") return true;
  if (node.type.startsWith("TS")) return !EXPRESSIONS.has(node.type);
  const callee = (node.type === "CallExpression" || node.type === "NewExpression") && (node.callee as Node);
  return callee !== false && TOLD.has(nameOf(callee));
}

const EXPRESSIONS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

function nameOf(callee: Node): string {
  const named = callee.type === "MemberExpression" ? (callee.property as Node) : callee;
  return typeof named.name === "string" ? named.name : "";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

type Text = (node: Pick<Node, "start" | "end">) => string;

function editsOf(node: Node, text: Text): Edit[] {
  switch (node.type) {
    case "BinaryExpression":
      return isText(node) ? [] : operatorEdits(node, text, BINARY);
    case "LogicalExpression":
      if (node.operator === "??") return [{ at: node, to: text(node.left as Node) }];
      return operatorEdits(node, text, LOGICAL);
    case "UnaryExpression":
      return node.operator === "!" ? [{ at: node, to: text(node.argument as Node) }] : [];
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((to) => ({ at: node.test as Node, to }));
    case "ExpressionStatement":
      return isDeed(node.expression as Node) ? [{ at: node, to: ";" }] : [];
    case "Property":
      return propertyEdits(node, text);
    case "MemberExpression":
      return memberEdits(node, text);
    case "Literal":
      return literalEdits(node);
    default:
      return [];
  }
}

const BINARY: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
};
const LOGICAL: Readonly<Record<string, readonly string[]>> = { "&&": ["||"], "||": ["&&"] };

function operatorEdits(node: Node, text: Text, table: typeof BINARY): Edit[] {
  const left = node.left as Node;
  const right = node.right as Node;
  const operator = String(node.operator);
  const between = text({ start: left.end, end: right.start });
  return (table[operator] ?? []).map((other) => ({
    at: node,
    to: `${text(left)}${between.replace(operator, other)}${text(right)}`,
  }));
}

function isText({ operator, left, right }: Node): boolean {
  const isString = (side: unknown) =>
    isNode(side) &&
    (side.type === "TemplateLiteral" || (side.type === "Literal" && typeof side.value === "string"));
  return operator === "+" && (isString(left) || isString(right));
}

/** A statement that does something other than logging. */
function isDeed(node: Node): boolean {
  if (node.type === "AwaitExpression") return isDeed(node.argument as Node);
  if (node.type === "CallExpression") return !TOLD.has(nameOf(node.callee as Node));
  return node.type === "AssignmentExpression";
}

function propertyEdits({ key, value, start, end }: Node, text: Text): Edit[] {
  const name = isNode(key) ? String(key.name) : "";
  if (!isNode(value)) return [];
  // `{ ...state, lease: undefined }`: the field that was to be removed stays.
  if (value.type === "Identifier" && value.name === "undefined") return [{ at: { start, end }, to: "...{}" }];
  if (value.type !== "Literal" || typeof value.value !== "string" || !WORDS.has(name)) return [];
  const to = value.value === "later" ? '"never"' : value.value === "never" ? '"later"' : '"other"';
  return text(value) === to ? [] : [{ at: value, to }];
}

const SIBLINGS = new Map([
  ["min", "max"],
  ["max", "min"],
  ["some", "every"],
  ["every", "some"],
  ["ceil", "floor"],
  ["floor", "ceil"],
]);

function memberEdits({ property, computed }: Node, text: Text): Edit[] {
  if (computed || !isNode(property)) return [];
  const to = SIBLINGS.get(text(property));
  return to === undefined ? [] : [{ at: property, to }];
}

function literalEdits(node: Node): Edit[] {
  if (typeof node.value === "boolean") return [{ at: node, to: String(!node.value) }];
  if (typeof node.value === "number") return [{ at: node, to: String(node.value + 1) }];
  return [];
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 90 ? `${line.slice(0, 87)}...` : line || "nothing";
}
