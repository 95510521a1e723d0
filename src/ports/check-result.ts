/** `skip`: nothing was looked at, and `detail` says why. */
export type CheckVerdict = "ok" | "warn" | "fail" | "skip";

/** One thing that was checked. `detail` says what to do if it is not well. */
export interface CheckResult {
  readonly check: string;
  readonly verdict: CheckVerdict;
  readonly detail: string;
}

/** What a channel or a responder found about itself. `ok` only of what it has tried. */
export interface Finding {
  /** Whether it holds, or why that is not known. */
  readonly verdict: CheckVerdict;
  /** In plain words, and what to do if it is not well. */
  readonly detail: string;
  /** Set where it is about the URL that the provider calls. */
  readonly about?: "webhook";
}
