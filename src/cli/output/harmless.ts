/**
 * What a terminal would obey rather than show: control characters (C0, DEL, C1), and those that change the
 * direction of writing, with which a name can look like another one. Line ends and tabs are ours.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** The same text with these characters escaped: JSON stays JSON, and means the same. */
export function harmless(text: string): string {
  return text.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
