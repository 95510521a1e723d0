import { QUIET_MAX_FACTOR, WINDOW_MS_MAX } from "../core/defaults.ts";
import { ConfigError } from "../errors.ts";
import type { WindowPolicy } from "../model/window.ts";
import { SECONDS } from "../schema/limits.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import { component, type Infer, options, ruled, type Schema } from "../schema/schema.ts";

/**
 * `{ seconds: 10 }`: ten seconds from the first message. `{ quietSeconds: 4 }`: until the customer has been
 * quiet for four seconds, `maxSeconds` at most.
 */
export type WindowConfig =
  | { readonly seconds: number }
  | { readonly quietSeconds: number; readonly maxSeconds?: number };

type Parts = Infer<typeof PARTS>;
const PARTS = options(
  { seconds: SECONDS, quietSeconds: SECONDS, maxSeconds: SECONDS },
  "Either `seconds`: from the first message; or `quietSeconds`: of silence, `maxSeconds` at most.",
);

/** The rule makes of three numbers that may be left out what the type says. */
export const WINDOW = component(
  "Window",
  ruled(PARTS, ({ seconds, quietSeconds, maxSeconds }, called, where) => {
    const [quiet, max] = [called("quietSeconds"), called("maxSeconds")];
    if ((seconds === undefined) === (quietSeconds === undefined))
      return `${where} needs either ${called("seconds")}, or ${quiet} with or without ${max}`;
    if (quietSeconds === undefined || maxSeconds === undefined || maxSeconds >= quietSeconds)
      return undefined;
    return `${where}.${max} must not be less than ${quiet}`;
  }) as Schema<WindowConfig>,
);

/** Public seconds to a policy; `where` is named in the error. */
export function windowPolicy(window: WindowConfig, where: string): WindowPolicy {
  const [problem] = problemsIn(window, WINDOW, where, TO_PEOPLE);
  if (problem !== undefined) throw new ConfigError(problem);
  const { seconds = 0, quietSeconds, maxSeconds } = window as Parts;
  if (quietSeconds === undefined) return { kind: "fixed", lengthMs: inMs(seconds) };
  const quietMs = inMs(quietSeconds);
  const maxMs =
    maxSeconds === undefined ? Math.min(quietMs * QUIET_MAX_FACTOR, WINDOW_MS_MAX) : inMs(maxSeconds);
  return { kind: "quiet", quietMs, maxMs };
}

function inMs(seconds: number): number {
  return Math.round(seconds * 1_000);
}
