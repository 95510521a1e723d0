export type CheckVerdict = "ok" | "warn" | "fail";

/** One thing that was checked. `detail` says what to do if it is not well. */
export interface CheckResult {
  readonly check: string;
  readonly verdict: CheckVerdict;
  readonly detail: string;
}
