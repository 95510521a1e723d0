import type { CheckResult, Finding } from "../../ports/check-result.ts";
import { nameOf } from "../../wire/connection-failure.ts";
import { fail, skip } from "./check-result.ts";

/** How other machines may be asked. */
export interface Asking {
  /** False with `--offline`. */
  readonly online: boolean;
  /** Aborts when the time for all of them is over. */
  readonly signal: AbortSignal;
  /** Aborts a moment later: what does not listen to `signal` is left alone. */
  readonly late: AbortSignal;
}

export const OFFLINE = "not tried (--offline)";

/** Whatever has a check of its own. */
export interface Checked {
  check?(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** What it finds about itself. Undefined where it cannot be asked. */
export async function findingsOf(checked: Checked, asking: Asking): Promise<readonly Finding[] | undefined> {
  if (checked.check === undefined || !asking.online) return undefined;
  try {
    return await orLate(checked.check(asking.signal), asking.late);
  } catch (error) {
    return [{ verdict: "fail", detail: (error as Error | undefined)?.message ?? nameOf(error) }];
  }
}

function orLate<T>(work: Promise<T>, late: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error("its own check gave no answer in time"));
  if (late.aborted) giveUp();
  late.addEventListener("abort", giveUp);
  return Promise.race([work, promise]).finally(() => late.removeEventListener("abort", giveUp));
}

/** Code of the user's own may find nothing to say, or say it in another shape. */
export function toldUnder(check: string, findings: readonly Finding[]): CheckResult[] {
  if (!Array.isArray(findings)) return [fail(check, "its own check returned no list of findings")];
  if (findings.length === 0) return [skip(check, "its own check says nothing of what it tried")];
  return findings.map((finding) => {
    const { verdict, detail } = Object(finding) as Partial<Finding>;
    if (typeof detail === "string" && VERDICTS.has(String(verdict)))
      return { check, verdict: verdict as Finding["verdict"], detail };
    // What a check returned before 0.2.0: a list of problems.
    return fail(check, typeof finding === "string" ? finding : "its own check returned what is no finding");
  });
}

const VERDICTS = new Set<string>(["ok", "warn", "fail", "skip"] satisfies Finding["verdict"][]);
