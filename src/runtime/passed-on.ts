import { LullError } from "../errors.ts";

/** Told to an operator who wants to have something answered or sent again. */
export const STILL_PASSED_ON =
  "another person has come with its customer's number since, and where that customer is now is not known. " +
  "It stays as it is: if you know who it was, write to them in another conversation, " +
  "then take it off the list";

/** A conversation's number has become another person's, and theirs is not known. */
export function passedOn(
  why = "another person has come with this conversation's number since: it cannot be told whose it is now",
): LullError {
  return new LullError(why, { code: "NUMBER_PASSED_ON", retry: "never" });
}
