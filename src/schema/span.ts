const SPAN = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d|w)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `500ms`, `30s`, `2m`, `1.5h`, `1d`, `1w` in ms. Undefined for anything else. */
export function spanMs(text: string): number | undefined {
  const [, count, unit] = SPAN.exec(text.trim()) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * UNIT_MS[unit]!;
}
