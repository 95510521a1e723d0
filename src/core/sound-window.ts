import { WINDOW_MS_MAX } from "./defaults.ts";
import { fields, kinds, type Shape } from "./shape.ts";

/** No window is longer: a record with a longer one would mute its customer for that time. */
const length: Shape = (value) =>
  Number.isFinite(value) && (value as number) >= 0 && (value as number) <= WINDOW_MS_MAX
    ? undefined
    : " is no window's length";

/** A window as a conversation's record holds it. */
export const WINDOW_POLICY: Shape = kinds({
  fixed: fields({ lengthMs: length }),
  quiet: fields({ quietMs: length, maxMs: length }),
});
