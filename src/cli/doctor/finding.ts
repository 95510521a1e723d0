export type Verdict = "ok" | "warn" | "fail";

/** One thing that was looked at. `detail` says what to do when it is not well. */
export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, verdict: "ok", detail };
}

export function warn(check: string, detail: string): Finding {
  return { check, verdict: "warn", detail };
}

export function fail(check: string, detail: string): Finding {
  return { check, verdict: "fail", detail };
}
