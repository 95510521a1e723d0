import { type LimitName, publicName } from "../model/limits.ts";

/** `LULL_SWEEP_SECONDS` for `limits.sweepSeconds`: every limit has one. */
export function limitVariable(name: LimitName): `LULL_${string}` {
  return `LULL_${publicName(name)
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`;
}
