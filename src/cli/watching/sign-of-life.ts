import { url as debuggerUrl } from "node:inspector";

/** The answer of a process whose event loop turns to the watcher that asks. */
export interface SignOfLife {
  /** A debugger can be attached, and may hold the process at a breakpoint for as long as a person likes. */
  readonly debugged: boolean;
}

export function signOfLife(): SignOfLife {
  return { debugged: debuggerUrl() !== undefined };
}
