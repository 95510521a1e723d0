export type Verdict = "ok" | "warn" | "fail";

/** One thing that was looked at. `detail` says what to do when it is not well. */
export interface CheckResult {
  readonly check: string;
  readonly verdict: Verdict;
  readonly detail: string;
}
