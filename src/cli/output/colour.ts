type Environment = Readonly<Record<string, string | undefined>>;

const OFF = ["0", "false"];

/**
 * As Node and most tools decide it: `FORCE_COLOR` counts over `NO_COLOR`, and either over what is known of
 * the terminal. An empty value is none.
 */
export function wantsColour({ FORCE_COLOR, NO_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (FORCE_COLOR) return !OFF.includes(FORCE_COLOR);
  if (NO_COLOR) return false;
  return isTerminal && TERM !== "dumb";
}

const CODES = { strong: 1, faint: 2, bad: 31, good: 32, warning: 33, info: 36 } as const;

/** What a person should make of it. Of the colours that every scheme of a terminal keeps readable. */
export type Ink = keyof typeof CODES;

export function inked(ink: Ink, text: string): string {
  return `\u001b[${CODES[ink]}m${text}\u001b[0m`;
}

/**
 * Adds colour to what is ready to be shown, where colour is wanted. It goes by how lines begin: what a
 * customer wrote begins none.
 */
export type Paint = (shown: string) => string;

/** The words that may begin a line, each with what it says. */
export function inkedStarts(inks: Readonly<Record<string, Ink>>): Paint {
  const starts = new RegExp(`^(?:${Object.keys(inks).join("|")})(?= |$)`, "gm");
  return (shown) => shown.replace(starts, (start) => inked(inks[start]!, start));
}

/** The line above a table's columns: capitals. */
export const tableHeads: Paint = (shown) =>
  shown.replace(/^[A-Z]+(?: +[A-Z]+)*$/gm, (head) => inked("strong", head));
