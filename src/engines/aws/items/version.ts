import { LullError } from "../../../errors.ts";
import { above, all, atMost, type Condition, type Item, not, present } from "../dynamo/expression.ts";

/**
 * The form of our rows and triggers. It is raised only when older code would read them wrongly. While a new
 * version is rolled out or rolled back, both versions work on the same tables: a version leaves rows that are
 * newer than itself to workers that can read them.
 */
export const VERSION = 1;

/** What is higher is no version of Lull: a time, say. */
const VERSIONS_MAX = 1_000;

/**
 * What rows of ours bear besides, as texts, whichever version wrote them: these names have to stay. Others
 * note a version in their rows, too, and a row of theirs must not wait for a worker that never comes.
 */
const MARKS = {
  stage: ["kind", "channel", "reply_to"],
  triggerLock: ["window_id"],
  state: ["rev"],
} as const;

type Versioned = keyof typeof MARKS;

export function isNewer(table: Versioned, item: Item | undefined): boolean {
  const { v } = item ?? {};
  return typeof v === "number" && v > VERSION && v <= VERSIONS_MAX && isOurs(table, item!);
}

/** The same, the other way round: on which condition a row may be overwritten or removed. */
export function isOfKnownVersion(table: Versioned): Condition {
  return not(all(above("v", VERSION), atMost("v", VERSIONS_MAX), ...marksOf(table)));
}

/** Whether Lull wrote it, whichever version. It may be broken all the same. */
export function isOurs(table: Versioned, item: Item): boolean {
  return (
    item.v !== undefined && MARKS[table].every((name) => item[name] !== "" && typeof item[name] === "string")
  );
}

/** The same, as a condition. */
export function bearsMarks(table: Versioned): Condition {
  return all(present("v"), ...marksOf(table));
}

export function isNotOurs(table: Versioned): Condition {
  return not(bearsMarks(table));
}

/** The attributes that tell. */
export function tellingNames(table: Versioned): readonly string[] {
  return ["v", ...MARKS[table]];
}

/** A text and not empty: what is no text is not above one. */
function marksOf(table: Versioned): Condition[] {
  return MARKS[table].map((name) => above(name, ""));
}

/** A newer worker has to do it, and does if there is one: the trigger comes again, and the window stands. */
export function newerVersion(conversationId: string): LullError {
  return new LullError(
    `conversation ${conversationId} has rows of a newer version of Lull: they are left to a newer worker`,
    { code: "NEWER_VERSION", retry: "later" },
  );
}
