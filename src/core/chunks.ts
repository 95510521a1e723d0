/** Where a text may be cut, best place first: blank line, line, sentence, word. */
const BREAKS = [/\n\s*\n/g, /\n/g, /(?<=[.!?…。؟])\s+/g, /\s+/g];

/** Splits a text into chunks of `max` UTF-16 units at most, never inside a visible character. */
export function splitText(text: string, max: number): string[] {
  const chunks: string[] = [];
  // With room for less than one unit, empty chunks would follow each other without end.
  const room = Math.max(1, Math.floor(max));
  let rest = text.trim();
  while (rest.length > room) {
    const at = breakBefore(rest, room);
    chunks.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  if (rest !== "") chunks.push(rest);
  return chunks;
}

function breakBefore(text: string, max: number): number {
  const head = text.slice(0, max + 1);
  for (const pattern of BREAKS) {
    const last = [...head.matchAll(pattern)].map(({ index }) => index).findLast((index) => index > max / 2);
    if (last !== undefined) return last;
  }
  // One whole code point more: half a surrogate pair at the end would look like a part of the last character.
  return graphemeBefore(text.slice(0, max + 2), max);
}

function graphemeBefore(head: string, max: number): number {
  let at = 0;
  for (const { index, segment } of new Intl.Segmenter().segment(head)) {
    if (index + segment.length > max) break;
    at = index + segment.length;
  }
  // One "character" is longer than a whole chunk: cut it between its code points, or nothing is ever sent.
  return at === 0 ? codePointBefore(head, max) : at;
}

function codePointBefore(head: string, max: number): number {
  const splitsPair = (head.codePointAt(max - 1) ?? 0) > 0xffff;
  return splitsPair && max > 1 ? max - 1 : max;
}
