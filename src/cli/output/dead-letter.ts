import type { DeadLetter } from "../../model/dead-letter.ts";
import type { Media } from "../../model/message.ts";
import { counted } from "./counted.ts";
import { nameShown } from "./customer.ts";
import { oneLine } from "./table.ts";
import { relativeTime } from "./times.ts";

const TEXT_MAX = 100;
const SAID_MAX = 60;

/** Whose it is, and in what it was written or was to be said. */
export function letterTitle({ id, conversationId, messages, atMs }: DeadLetter, nowMs: number): string {
  const [first] = messages;
  const who = first ? `${nameShown(first.sender)}, ` : "";
  return `${id}\n  ${who}${relativeTime(atMs, nowMs)}, in ${conversationId}`;
}

/** Why it got no turn, what was written, and what of a reply went out. */
export function letterLines({ reason, attempts, messages, outbounds, replySent }: DeadLetter): string[] {
  return [
    `  why: ${oneLine(reason, TEXT_MAX)} (${counted(attempts, "attempt")})`,
    ...messages.map(({ text, media }) => `  wrote: ${shown([text], media, TEXT_MAX)}`),
    ...outbounds.map(
      ({ author, texts, media }) => `  was to be said: ${shown([`${author}:`, ...texts], media, SAID_MAX)}`,
    ),
    ...(replySent === "none" ? [] : [`  of its reply went out: ${replySent}`]),
  ];
}

function shown(texts: readonly string[], media: readonly Media[] = [], max: number): string {
  const all = [...texts, ...media.map(({ contentType }) => `(${contentType})`)];
  return oneLine(all.join(" "), max) || "(no text)";
}
