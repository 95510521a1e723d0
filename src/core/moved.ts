import type { InboundMessage } from "../model/message.ts";

/** What the ids of messages begin with that were moved in from a system without the provider's ids. */
export const MOVED_ID = "seed-wati-";

/** How far a provider's time of a message may lie from the time that the other system wrote down. */
const APART_MS = 600_000;

/** What can be compared of a message. */
export type Said = Pick<InboundMessage, "text" | "media" | "sentAtMs">;

interface Moved extends Said {
  /** When it was moved in. */
  readonly arrivedAtMs: number;
}

interface Pair {
  readonly listed: number;
  readonly moved: number;
  /** The same words come before a mere likeness. */
  readonly rank: number;
  readonly apartMs: number;
}

/**
 * Which of a customer's listed messages are among the moved ones: for the place of each such message that of
 * its twin. The ids tell nothing: words and time have to. Each moved one is the twin of one message at most:
 * a customer may say "ok" twice.
 */
export function twinsAmong(listed: readonly Said[], moved: readonly Moved[]): ReadonlyMap<number, number> {
  const pairs = listed.flatMap((one, at) => moved.flatMap((other, place) => pairOf(one, at, other, place)));
  const twins = new Map<number, number>();
  const taken = new Set<number>();
  for (const pair of pairs.sort((a, b) => a.rank - b.rank || a.apartMs - b.apartMs)) {
    if (twins.has(pair.listed) || taken.has(pair.moved)) continue;
    twins.set(pair.listed, pair.moved);
    taken.add(pair.moved);
  }
  return twins;
}

function pairOf(one: Said, listed: number, other: Moved, moved: number): Pair[] {
  // Without a time it may be any that was written before the move.
  const { sentAtMs = other.sentAtMs ?? other.arrivedAtMs } = one;
  const apartMs = Math.abs(sentAtMs - (other.sentAtMs ?? sentAtMs));
  if (apartMs > APART_MS || sentAtMs - other.arrivedAtMs > APART_MS) return [];
  if (isSame(one, other)) return [{ listed, moved, rank: 0, apartMs }];
  // Of a file the other system kept its own name, or what was heard in it: no words to compare.
  const isWordless = one.media.length > 0 || wordsOf(one) === "";
  return isWordless ? [{ listed, moved, rank: 1, apartMs }] : [];
}

function isSame(one: Said, other: Said): boolean {
  const words = wordsOf(one);
  if (words !== "" && words === wordsOf(other)) return true;
  return one.media.some(({ url }) => other.media.some((each) => each.url === url));
}

function wordsOf({ text }: Said): string {
  return text.normalize().trim().replaceAll(/\s+/g, " ");
}
