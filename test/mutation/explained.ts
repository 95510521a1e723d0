import type { Mutant } from "./mutants.ts";

/** A mutant that may live, and why. Found again by its text, wherever its line goes. */
export interface Explained {
  readonly file: string;
  /** The line. */
  readonly code: string;
  /** `what stood there → what stands there now`, as the run prints it. */
  readonly change: string;
  readonly because: string;
}

export const EXPLAINED: readonly Explained[] = [];

export function reasonFor({ file, code, change }: Mutant): string | undefined {
  return EXPLAINED.find((each) => each.file === file && each.code === code && each.change === change)
    ?.because;
}
