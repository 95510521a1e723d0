import { limitVariable } from "../../src/config/limit-variable.ts";
import { AWS_DEFAULTS } from "../../src/engines/aws/context.ts";
import {
  inPublicUnits,
  LIMIT_ROWS,
  type Limit,
  type LimitName,
  publicName,
  SECONDS_MAX,
  UNITS,
} from "../../src/model/limits.ts";

const WIDTH = 110;

/** The whole source: what an editor shows of a limit has to stand beside its name. */
export function limitsType(): string {
  const members = LIMIT_ROWS.map(
    ([name, limit]) => `${comment(aboutLimit(name, limit))}\n  readonly ${publicName(name)}?: number;\n`,
  );
  return `/** Limits by their public names: times in seconds, hours and days. */
export interface LimitsConfig {
${members.join("")}}
`;
}

/** What it is, its unit, its default, how far it may go, and the variable that sets it. */
function aboutLimit(name: LimitName, limit: Limit): string {
  const { help, more = "", unit, default: value } = limit;
  const onAws = (AWS_DEFAULTS as Readonly<Record<string, unknown>>)[name];
  const elsewhere = typeof onAws === "number" ? ` (on AWS \`${inPublicUnits(name, onAws)}\`)` : "";
  const what = plain(`${help}${more}`).replace(/^./, (first) => first.toUpperCase());
  // What is counted is said already.
  const byDefault = UNITS[unit] === 1 ? "Default" : `In ${unit}, default`;
  return `${what}. ${byDefault} \`${value}\`${elsewhere}, ${rangeOf(limit)}. \`${limitVariable(name)}\`.`;
}

function rangeOf({ min, max }: Limit): string {
  if (max === undefined) return `at least ${min}`;
  return `from ${min} to ${max === SECONDS_MAX ? `${max} (a week)` : max}`;
}

/** Links lead nowhere in an editor. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

function comment(text: string): string {
  const oneLine = `  /** ${text} */`;
  if (oneLine.length <= WIDTH) return oneLine;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`   * ${word}`);
  }
  return ["  /**", ...lines, "   */"].join("\n");
}
