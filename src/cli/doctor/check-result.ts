import type { CheckResult } from "../../ports/check-result.ts";

export type { CheckResult, CheckVerdict } from "../../ports/check-result.ts";

export function ok(check: string, detail: string): CheckResult {
  return { check, verdict: "ok", detail };
}

export function warn(check: string, detail: string): CheckResult {
  return { check, verdict: "warn", detail };
}

export function fail(check: string, detail: string): CheckResult {
  return { check, verdict: "fail", detail };
}

/** Nothing was looked at; `detail` says why. */
export function skip(check: string, detail: string): CheckResult {
  return { check, verdict: "skip", detail };
}
