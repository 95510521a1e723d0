import { planReply, type ReplyLimits, type Words } from "../core/reply-plan.ts";
import { LullError } from "../errors.ts";

/**
 * The texts as the channel carries them. Throws `REPLY_TOO_LARGE`, for good: the same reply would be too
 * large again.
 */
export function replyTexts(words: Words, textMax: number, limits: ReplyLimits): readonly string[] {
  const plan = planReply(words, textMax, limits);
  if (plan.kind === "messages") return plan.texts;
  throw new LullError(plan.why, { code: "REPLY_TOO_LARGE", retry: "never" });
}
