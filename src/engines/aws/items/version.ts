import { LullError } from "../../../errors.ts";
import { absent, any, atMost, type Condition, type Item } from "../dynamo/expression.ts";

/**
 * The form of our rows and triggers. It is raised only when older code would read them wrongly. While a new
 * version is rolled out or rolled back, both versions work on the same tables: a version leaves rows that are
 * newer than itself to workers that can read them.
 */
export const VERSION = 1;

export function isNewer(item: Item | undefined): boolean {
  return typeof item?.v === "number" && item.v > VERSION;
}

/** On which condition a row may be overwritten or removed. */
export function isOfKnownVersion(): Condition {
  return any(absent("v"), atMost("v", VERSION));
}

/** A newer worker has to do it, and does if there is one: the trigger comes again, and the window stands. */
export function newerVersion(conversationId: string): LullError {
  return new LullError(
    `conversation ${conversationId} has rows of a newer version of Lull: they are left to a newer worker`,
    { code: "NEWER_VERSION", retry: "later" },
  );
}
