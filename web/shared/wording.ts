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

/** As the visitor's own country writes it. */
export function hourAndMinute(atMs: number): string {
  return new Date(atMs).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function timeOfDay(atMs: number): string {
  const parts = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false } as const;
  return new Date(atMs).toLocaleTimeString([], parts);
}
