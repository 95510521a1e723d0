import type { Said } from "./said.ts";
import type { Story } from "./stories.ts";

const BEGIN = "<!-- failures: npm run docs:failures -->";
const END = "<!-- end -->";

const ROWS: readonly (readonly [keyof Said, label: string, otherwise: string])[] = [
  ["customer", "the customer on WhatsApp hears", "nothing"],
  ["page", "the phone page", "what it always says"],
  ["log", "the log, warnings and errors", "nothing"],
  ["status", "`lull status`", "nothing"],
  ["show", "`lull conversations show`", "nothing"],
  ["doctor", "`lull doctor`, besides what is fine", "nothing"],
];

/** The page with these stories between its marks; one that could not be made stays as it is. */
export function withFailures(page: string, told: ReadonlyMap<Story, Said>, all: readonly Story[]): string {
  const [before = "", rest = ""] = page.split(BEGIN);
  const [old = "", after = ""] = rest.split(END);
  const sections = all.map((story) => {
    const said = told.get(story);
    return said ? sectionOf(story, said) : (sectionIn(old, story) ?? sectionOf(story, undefined));
  });
  return `${before}${BEGIN}\n\n${sections.join("\n\n")}\n\n${END}${after}`;
}

/** What the page says of a failure now. */
export function sectionIn(page: string, { title }: Story): string | undefined {
  const found = page.split(/\n(?=### )/).find((each) => each.startsWith(`### ${title}\n`));
  return found?.split(END)[0]?.trim();
}

export function sectionOf({ title, cause, next }: Story, said: Said | undefined): string {
  const rows = ROWS.flatMap(([key, label, otherwise]) =>
    said ? [`| ${label} | ${cellOf(said[key]) || otherwise} |`] : [],
  );
  return [`### ${title}`, "", `${cause} **Next:** ${next}`, "", "| | |", "|---|---|", ...rows].join("\n");
}

function cellOf(lines: readonly string[]): string {
  return lines.map((line) => `\`${line.trim().replaceAll(/ +/g, " ").replaceAll("|", "\\|")}\``).join("<br>");
}
