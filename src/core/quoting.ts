/** As many as a parser quotes. Fewer in a row are found in any two texts. */
const LETTERS_MIN = 10;
/** What is shorter is no secret: a greeting, a yes. */
const WHOLE_MIN = 4;
/** Of each text, and of the reason, so that an error about a megabyte costs milliseconds. */
const LETTERS_MAX = 100_000;

/**
 * Whether a reason repeats something that was said: a longer piece of it, or a short text whole. Only letters and digits count: what is
 * quoted may be escaped, cut or put in capitals.
 */
export function quotes(reason: string, said: readonly string[]): boolean {
  const letters = lettersOf(reason.slice(0, LETTERS_MAX));
  const pieces = piecesOf(letters);
  return said.some((text) => isIn(letters, pieces, lettersOf(text.slice(0, LETTERS_MAX))));
}

/** Every piece of that many letters. To look for each piece of a text among them costs both lengths once, not one times the other. */
function piecesOf(letters: string): Set<string> {
  const pieces = new Set<string>();
  for (let at = 0; at + LETTERS_MIN <= letters.length; at += 1)
    pieces.add(letters.slice(at, at + LETTERS_MIN));
  return pieces;
}

function isIn(reason: string, pieces: ReadonlySet<string>, text: string): boolean {
  if (text.length < LETTERS_MIN) return text.length >= WHOLE_MIN && reason.includes(text);
  for (let at = 0; at + LETTERS_MIN <= text.length; at += 1)
    if (pieces.has(text.slice(at, at + LETTERS_MIN))) return true;
  return false;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
