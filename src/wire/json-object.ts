import { isObject } from "../schema/is-object.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A body as an object, or undefined where it is anything else. */
export function readObject(body: Buffer | string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
