import type { BundledPage } from "./bundle-page.ts";

/** Short enough that a line with quotes, indentation and comma keeps the house's width. */
const PIECE_LENGTH_MAX = 100;

/** The bundle as a module of the service: it is imported like any other, wherever the service runs. */
export function pageModule(folder: string, { html, script, style }: BundledPage): string {
  const pieces = piecesOf(html).map((piece) => `    ${JSON.stringify(piece)},`);
  return [
    `// Made from web/${folder} by \`npm run build:web\`: change it there.`,
    'import type { BuiltPage } from "../built-page.ts";',
    "",
    `export const ${folder.toUpperCase()}: BuiltPage = {`,
    `  script: "${script}",`,
    `  style: "${style}",`,
    "  html: [",
    ...pieces,
    '  ].join(""),',
    "};",
    "",
  ].join("\n");
}

/** Cut at the ends of lines, and where a line gets too long as it is written. No character is cut in two. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of text) {
    if (piece.endsWith("\n") || JSON.stringify(piece + character).length > PIECE_LENGTH_MAX) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...pieces, piece];
}
