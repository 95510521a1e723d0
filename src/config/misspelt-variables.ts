import { isObject } from "../schema/is-object.ts";
import { suggest } from "../schema/suggest.ts";
import { KNOBS } from "./knobs.ts";
import { SUFFIX, textIn } from "./named-secret.ts";

const PREFIX = "LULL_";
/** Those that no setting stands behind: of the AWS engine, and the configuration as a whole. */
export const OTHER_VARIABLES: readonly string[] = [
  "LULL_CONFIG",
  "LULL_LEASE_SHARDS",
  "LULL_TABLE_CONVERSATIONS",
  "LULL_TABLE_MESSAGES",
  "LULL_TABLE_SEEN",
  "LULL_TABLE_STAGE",
  "LULL_TABLE_STATE",
  "LULL_TABLE_TRIGGER_LOCK",
];
/** What follows is a channel's name, or a test's own. */
const OPEN = ["LULL_QUEUE_", "LULL_TEST_"];

/**
 * Variables that are set and change nothing, each in a sentence with the one that was probably meant. One
 * that resembles none of ours may be the user's own, or another program's; one that the file names is read.
 */
export function misspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
  content: unknown,
): string[] {
  const known = new Set([...KNOBS.flatMap(({ env: name }) => name ?? []), ...OTHER_VARIABLES]);
  // Without what all of them begin with: it would make any two alike.
  const rests = [...known].filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  const named = namedIn(content);
  return Object.keys(env).flatMap((name) => {
    const isOurs = name.startsWith(PREFIX) && textIn(env, name) !== undefined;
    // A wrong name of a named secret is refused.
    if (!isOurs || known.has(name) || name.endsWith(SUFFIX) || named.has(name)) return [];
    if (OPEN.some((start) => name.startsWith(start))) return [];
    const meant = suggest(name.slice(PREFIX.length), rests);
    return meant === undefined ? [] : [`${name} is not a known variable. Did you mean ${PREFIX}${meant}?`];
  });
}

/** What `{ env: "LULL_MY_KEY" }` names anywhere in a file, which may hold code, too. */
function namedIn(content: unknown, seen = new Set<unknown>()): Set<string> {
  const names = new Set<string>();
  if (!(isObject(content) || Array.isArray(content)) || seen.has(content)) return names;
  seen.add(content);
  for (const [key, value] of Object.entries(content)) {
    if (key === "env" && typeof value === "string") names.add(value);
    for (const name of namedIn(value, seen)) names.add(name);
  }
  return names;
}
