import { LullError } from "../errors.ts";
import type { Taken } from "../model/take.ts";

/** Nothing may be sent: what was written to one person would reach another. */
export function isPassedOn({ moved }: Taken): boolean {
  return moved !== undefined && moved.to === undefined;
}

/** A conversation's number has become another person's, and theirs is not known. */
export function passedOn(): LullError {
  const why =
    "another person has come with this conversation's number since: it cannot be told whose it is now";
  return new LullError(why, { code: "NUMBER_PASSED_ON", retry: "never" });
}
