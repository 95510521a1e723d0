/** Numbers that look random and follow from their seed: the same seed gives the same run. */
export interface Random {
  /** 0 up to, not including, 1. */
  next(): number;
  /** A whole number, 0 up to, not including, `max`. */
  below(max: number): number;
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** A 32-bit mixing generator: small, fast, and good enough to shuffle a schedule. */
export function seeded(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (max: number) => Math.floor(next() * max);
  return {
    next,
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
  };
}
