import { type ObjectSchema, type Rule, record, ruled, text } from "./schema.ts";

/** Paths of ours, by their first segment: no other path may stand in their way. */
const OWN = ["healthz", "readyz", "api", "webhooks", "console", "metrics"];
const PATH_LENGTH_MAX = 200;
/** Nothing that a proxy or a gateway may decode, resolve or cut: both sides have to see the same path. */
const PLAIN_PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+$/;

export type Aliases = Readonly<Record<string, string>>;

/** Paths that stand for `/webhooks/<channel>`. */
export const ALIASES: ObjectSchema<Aliases> = ruled(
  {
    ...(record(text()) as ObjectSchema<Aliases>),
    description: 'paths and their channels, such as { "/webhook": "wati" }',
  },
  problemIn as Rule<Aliases>,
);

/** What is wrong with the paths. Which channels there are is not known here. */
function problemIn(aliases: Aliases, _: (key: string) => string, where: string): string | undefined {
  for (const path of Object.keys(aliases)) {
    const why = problemWith(path);
    // The old path may have been copied with its secret behind it.
    if (why !== undefined) return `${where}: ${JSON.stringify(path.split("?", 1)[0])} ${why}`;
  }
  return undefined;
}

function problemWith(path: string): string | undefined {
  if (path.length > PATH_LENGTH_MAX) return `has more than ${PATH_LENGTH_MAX} characters`;
  if (!PLAIN_PATH.test(path))
    return "is no plain path: parts of letters, digits, . _ ~ and -, a slash before each and none at the end";
  const [, first = ""] = path.split("/", 2);
  return OWN.includes(first.toLowerCase()) ? `is Lull's own: /${first} is taken` : undefined;
}

/** Reads `/webhook=wati, /twilio/sms=sms`; in words what is wrong, where it cannot be read. */
export function aliasesInText(given: string): Aliases | string {
  const found = new Map<string, string>();
  for (const entry of given.split(",").map((each) => each.trim())) {
    if (entry === "") continue;
    const [path = "", channel = "", ...more] = entry.split("=").map((each) => each.trim());
    if (path === "" || channel === "" || more.length > 0)
      return "must be paths and their channels, such as /webhook=wati, with commas between them";
    if (found.has(path)) return `names ${JSON.stringify(path.split("?", 1)[0])} twice`;
    found.set(path, channel);
  }
  return Object.fromEntries(found);
}

/** As `aliasesInText` reads them. */
export function aliasesAsText(aliases: Aliases): string {
  return Object.entries(aliases)
    .map(([path, channel]) => `${path}=${channel}`)
    .join(", ");
}
