import { type Answer, answerFrom, oddReply } from "../core/reply.ts";
import { LullError } from "../errors.ts";
import type { Reply } from "../model/reply.ts";

/** What a reply means. Throws, for good, where it is none: the same function would return the same again. */
export function readReply(reply: Reply): Answer {
  const why = oddReply(reply);
  if (why !== undefined) throw new LullError(why, { code: "INVALID_REPLY", retry: "never" });
  return answerFrom(reply);
}
