import { ConfigError } from "../errors.ts";
import type { WindowConfig } from "../runtime/config.ts";
import type { ResolvedSettings, Setting } from "./resolve-settings.ts";

/**
 * One window out of three values that may come from different places. The newer layer says which kind it is;
 * in the same layer `quiet` wins, because `seconds` is what users set first.
 */
export function windowFrom(resolved: ResolvedSettings): WindowConfig {
  const seconds = resolved.get("window.seconds") as Setting;
  const quiet = resolved.get("window.quietSeconds");
  const max = resolved.get("window.maxSeconds");
  if (quiet && quiet.layer >= seconds.layer) return quietWindow(quiet, max);
  if (max && max.layer >= seconds.layer)
    throw new ConfigError(`${max.origin} needs a quiet time beside it: ${HOW}`);
  return { seconds: seconds.value as number };
}

const HOW = "set LULL_WINDOW_QUIET_SECONDS, --quiet or window.quietSeconds";

function quietWindow(quiet: Setting, max: Setting | undefined): WindowConfig {
  const quietSeconds = quiet.value as number;
  // A maximum from an older layer belonged to that layer's quiet time.
  if (!max || max.layer < quiet.layer) return { quietSeconds };
  const maxSeconds = max.value as number;
  if (maxSeconds < quietSeconds) {
    throw new ConfigError(
      `${max.origin} (${maxSeconds}) must not be less than ${quiet.origin} (${quietSeconds})`,
    );
  }
  return { quietSeconds, maxSeconds };
}
