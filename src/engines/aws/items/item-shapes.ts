import { type Shape, text } from "../../../core/shape.ts";
import { isObject } from "../../../schema/is-object.ts";

/** A text that may be part of a key. */
export const name: Shape = (value) => (typeof value === "string" && value !== "" ? undefined : " is no name");

/** Texts by name. A DynamoDB set of texts does not count. */
export const textsByName: Shape = (value) => {
  if (!isObject(value) || value instanceof Set) return " is no object";
  return Object.values(value).some((each) => text(each) !== undefined) ? " holds what is no text" : undefined;
};
