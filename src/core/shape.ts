import { isObject } from "../schema/is-object.ts";
import { isInstant } from "./instant.ts";

/**
 * For rows of a store: a schema (`schema.ts`) takes three to five times as long, 3 µs instead of 0.9 for a
 * message. The compiler holds both to the same types.
 *
 * What a value has to look like. Undefined if it fits, else what is wrong and where: `.window.wakeAtMs is no
 * time`. Never the value itself: it may be what a customer wrote.
 */
export type Shape = (value: unknown) => string | undefined;

/** A value that was read from a store: ours, or another system's. */
export type Sound<T> =
  | { readonly kind: "sound"; readonly value: T }
  | { readonly kind: "foreign"; readonly why: string };

export function soundAs<T>(shape: Shape, value: unknown): Sound<T> {
  const misfit = shape(value);
  if (misfit === undefined) return { kind: "sound", value: value as T };
  return { kind: "foreign", why: misfit.replace(/^\./, "").trimStart() };
}

export const text: Shape = (value) => (typeof value === "string" ? undefined : " is no text");
export const flag: Shape = (value) => (typeof value === "boolean" ? undefined : " is neither true nor false");
export const number: Shape = (value) => (Number.isFinite(value) ? undefined : " is no number");
export const count: Shape = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : " is no count";

/** Fractions are ours, too: backoff is jittered. */
export const time: Shape = (value) =>
  typeof value === "number" && isInstant(value) ? undefined : " is no time";

export function oneOf(...words: readonly string[]): Shape {
  return (value) => (words.includes(value as string) ? undefined : " is none of the known words");
}

export function optional(shape: Shape): Shape {
  return (value) => (value === undefined ? undefined : shape(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return " is no list";
    for (let at = 0; at < value.length; at += 1) {
      const misfit = shape(value[at]);
      if (misfit !== undefined) return `[${at}]${misfit}`;
    }
    return undefined;
  };
}

/**
 * An object with these fields: with a type, all of the type's. A newer version may have added others, but a
 * name tells its unit here: a field that ends in `Ms` and holds no time was not written by Lull.
 */
export function fields<T = Readonly<Record<string, unknown>>>(
  shapes: Readonly<Record<keyof T, Shape>>,
): Shape {
  const names = Object.keys(shapes);
  const looks = Object.values<Shape>(shapes);
  const known = new Set(names);
  return (value) => {
    if (!isObject(value)) return " is no object";
    // Plain loops: every row that is read passes through here.
    for (let at = 0; at < names.length; at += 1) {
      const misfit = looks[at]!(value[names[at]!]);
      if (misfit !== undefined) return `.${names[at]}${misfit}`;
    }
    for (const name in value) {
      if (name.endsWith("Ms") && !known.has(name) && isNoTime(value[name])) return `.${name} is no time`;
    }
    return undefined;
  };
}

function isNoTime(value: unknown): boolean {
  return value !== undefined && time(value) !== undefined;
}

/** One of several objects, told apart by their `kind`. */
export function kinds(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (!isObject(value)) return " is no object";
    const shape = Object.hasOwn(shapes, String(value.kind)) ? shapes[String(value.kind)] : undefined;
    return shape ? shape(value) : ".kind is none of the known words";
  };
}

/** The value of a JSON text. A text that is no JSON is foreign, like everything that does not fit. */
export function parsed(stored: unknown): Sound<unknown> {
  if (typeof stored !== "string") return { kind: "foreign", why: "it is no text" };
  try {
    return { kind: "sound", value: JSON.parse(stored) };
  } catch {
    return { kind: "foreign", why: "it is no JSON" };
  }
}
