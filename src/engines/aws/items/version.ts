import { LullError } from "../../../errors.ts";
import { absent, any, atMost, type Condition, type Item } from "../dynamo/expression.ts";

/**
 * The form of our rows and triggers. It is raised when code of before would read them wrongly, and never otherwise. While a new version takes
 * over step by step, or is rolled back, both are at work on the same tables: what is newer than oneself is left to those who can read it.
 */
export const VERSION = 1;

export function isNewer(item: Item | undefined): boolean {
  return typeof item?.v === "number" && item.v > VERSION;
}

/** On which condition a row may be written over or removed. */
export function isOfKnownVersion(): Condition {
  return any(absent("v"), atMost("v", VERSION));
}

/** Somebody newer has to do it, and does if there is one: this trigger comes again, the window stands. */
export function newerVersion(conversationId: string): LullError {
  return new LullError(
    `conversation ${conversationId} has rows of a newer version of Lull: they are left to a newer worker`,
    { code: "NEWER_VERSION", retry: "later" },
  );
}
