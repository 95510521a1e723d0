import { PROJECT_HOLD_MS_MAX } from "./defaults.ts";

/** A prime, so that any two characters of an id change the rest. */
const SPREAD = 1_009;

/** How long what is held for a paused project is left alone: half of the most at least, by any unique id. */
export function projectHoldMs(id: string): number {
  let rest = 0;
  for (const character of id) rest = (rest * 31 + character.codePointAt(0)!) % SPREAD;
  return Math.round((PROJECT_HOLD_MS_MAX * (1 + rest / SPREAD)) / 2);
}
