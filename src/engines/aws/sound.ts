import type { Media } from "../../ports/message.ts";
import type { Item } from "./expression.ts";

/**
 * What is read may not be ours: another system, an older version or a person may have written it. These say of a value whether it is
 * what it should be; whoever reads an item asks before anything of it gets inside.
 */
export type Is<T> = (value: unknown) => value is T;

/** The latest moment that a `Date` can show. */
const INSTANT_MS_MAX = 8_640_000_000_000_000;

export const isText: Is<string> = (value) => typeof value === "string";
export const isName: Is<string> = (value): value is string => typeof value === "string" && value !== "";
export const isFlag: Is<boolean> = (value) => typeof value === "boolean";
export const isCount: Is<number> = (value): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
export const isInstant: Is<number> = (value): value is number =>
  typeof value === "number" && value >= 0 && value <= INSTANT_MS_MAX;

export const isRecord: Is<Item> = (value): value is Item =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

export function isListOf<T>(is: Is<T>): Is<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(is);
}

/** Not there, or as it should be. */
export function isOptional<T>(is: Is<T>): Is<T | undefined> {
  return (value): value is T | undefined => value === undefined || is(value);
}

/** A record whose attributes each are as they should be. Others may be there, too. */
export function isMadeOf(attributes: Readonly<Record<string, Is<unknown>>>): Is<Item> {
  return (value): value is Item =>
    isRecord(value) && Object.entries(attributes).every(([name, is]) => is(value[name]));
}

export const isTexts: Is<Record<string, string>> = (value): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every(isText);

const isMedium = isMadeOf({ url: isText, contentType: isText, name: isOptional(isText) });

export const isMedia = isListOf(isMedium) as unknown as Is<Media[]>;
