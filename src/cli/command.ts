import type { Loaded, Purpose } from "../config/load.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage-error.ts";

export interface Option {
  readonly type: "string" | "boolean";
  /** What stands for the value in the help: `N`, `FILE`. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface Command {
  /** What follows the command's name: `<id> [options]`. */
  readonly usage?: string;
  readonly about: string;
  readonly options?: Options;
  /** Which settings may be given as flags: all, or only those that locate the data. */
  readonly settings?: "all" | "store";
  readonly args?: {
    readonly required: readonly string[];
    /** What may follow those. */
    readonly optional?: readonly string[];
    /** As many as there are. */
    readonly more?: true;
  };
  readonly examples?: readonly string[];
  /** Resolves with the exit code. */
  run(call: Call): Promise<number>;
}

/** One call of a command, parsed. */
export interface Call {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly json: boolean;
  readonly io: Io;
  load(purpose: Purpose): Promise<Loaded>;
}

export function textOption(call: Call, name: string): string | undefined {
  const value = call.options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function requiredOption(call: Call, name: string, why: string): string {
  const value = textOption(call, name);
  if (value === undefined) throw new UsageError(`--${name} is needed: ${why}`);
  return value;
}

export function countOption(call: Call, name: string, fallback: number, min = 1): number {
  const value = textOption(call, name);
  if (value === undefined) return fallback;
  const count = Number(value);
  if (Number.isInteger(count) && count >= min) return count;
  throw new UsageError(`--${name} must be a whole number of at least ${min}, not ${JSON.stringify(value)}`);
}

/** Page options that every list takes. */
export const PAGE_OPTIONS: Options = {
  limit: { type: "string", value: "N", help: "at most this many (50)" },
  cursor: { type: "string", value: "TEXT", help: "go on where the page before ended" },
};

export function pageOf(call: Call): { limit: number; cursor?: string } {
  const cursor = textOption(call, "cursor");
  return { limit: countOption(call, "limit", 50), ...(cursor !== undefined && { cursor }) };
}
