import { LullError } from "../../errors.ts";
import { failureOf } from "./failure.ts";
import type { StepReply } from "./step-request.ts";
import type { GroupReply } from "./store.ts";

/** Characters of one group's answers. A string holds four times as many; a longer one ends the thread. */
const LENGTH_MAX = 128_000_000;

const TOO_LARGE = JSON.stringify(
  failureOf(
    new LullError("the answer is too large: ask for less at once", {
      code: "ANSWER_TOO_LARGE",
      retry: "never",
    }),
  ),
);

/** A group's answers, for the event loop. One that is too large fails alone, and the thread lives. */
export function groupText({ replies, ...rest }: GroupReply, lengthMax = LENGTH_MAX): string {
  let left = lengthMax;
  const texts = replies.map((reply) => {
    const text = textOf(reply);
    if (text === undefined || text.length > left) return TOO_LARGE;
    left -= text.length;
    return text;
  });
  // `replies` is written last, and filled in before its closing bracket.
  const around = JSON.stringify({ ...rest, replies: [] });
  return `${around.slice(0, -"]}".length)}${texts.join(",")}]}`;
}

function textOf(reply: StepReply): string | undefined {
  try {
    return JSON.stringify(reply);
  } catch (error) {
    // Longer than any string may be.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
