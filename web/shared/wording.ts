export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** Tenths only where they say something: `0.5 s`, `3 s`, `12 s`. */
export function seconds(ms: number): string {
  const value = Math.max(0, ms) / 1000;
  const isShort = value < 10 && value % 1 >= 0.05;
  return `${isShort ? value.toFixed(1) : Math.round(value)} s`;
}

export function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}\u2026` : text;
}

const HOUR_AND_MINUTE = { hour: "2-digit", minute: "2-digit" } as const;

/** As the visitor's own country writes it, here and below. */
export function hourAndMinute(atMs: number): string {
  return new Date(atMs).toLocaleTimeString([], HOUR_AND_MINUTE);
}

/** The same, to the second. */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toLocaleTimeString([], { ...HOUR_AND_MINUTE, second: "2-digit" });
}
