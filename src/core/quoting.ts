/** As many as a parser quotes. Shorter runs occur in any two texts. */
const LETTERS_MIN = 10;
/** A shorter text is no secret: a greeting, a yes. */
const WHOLE_MIN = 4;
/** Limit for each text and for the reason, so that an error about a megabyte costs milliseconds. */
const LETTERS_MAX = 100_000;

/**
 * Whether a reason repeats what a customer or responder wrote: a longer piece of it, or a whole short text.
 * Only letters and digits count, because a quote may be escaped, cut or put in capitals.
 */
export function quotes(reason: string, said: readonly string[]): boolean {
  const letters = lettersOf(reason.slice(0, LETTERS_MAX));
  const pieces = piecesOf(letters);
  return said.some((text) => isIn(letters, pieces, lettersOf(text.slice(0, LETTERS_MAX))));
}

/** Every piece of `LETTERS_MIN` letters. A set makes the cost the sum of both lengths, not their product. */
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
