import type { Finding } from "../../ports/check-result.ts";

export type { Finding, Verdict } from "../../ports/check-result.ts";

export function ok(check: string, detail: string): Finding {
  return { check, verdict: "ok", detail };
}

export function warn(check: string, detail: string): Finding {
  return { check, verdict: "warn", detail };
}

export function fail(check: string, detail: string): Finding {
  return { check, verdict: "fail", detail };
}
