import { LullError } from "../errors.ts";

/** A conversation's number has become another person's, and theirs is not known. */
export function passedOn(): LullError {
  const why =
    "another person has come with this conversation's number since: it cannot be told whose it is now";
  return new LullError(why, { code: "NUMBER_PASSED_ON", retry: "never" });
}
