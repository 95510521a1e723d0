import { seedMessage } from "../../core/seed-rows.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SeedItem } from "../../ports/seed-tables.ts";

export interface Ages {
  readonly clock: Clock;
  /** What is younger is the original system's, which may be at work on it. 0: it does not run any more. */
  readonly olderThanMs: number;
}

/** Conversations that the original system may be at work on. */
export type Alive = Set<string>;

export function isLeft({ olderThanMs }: Ages, alive: Alive, conversationId: string): boolean {
  return olderThanMs > 0 && alive.has(conversationId);
}

/** One whose time cannot be read may have come just now, and so may one that is dated later than now. */
export function isYoung({ clock, olderThanMs }: Ages, atMs: number | undefined): boolean {
  const nowMs = clock.nowMs();
  return olderThanMs > 0 && nowMs - (atMs ?? nowMs) < olderThanMs;
}

export async function findYoung(
  ages: Ages,
  pages: AsyncIterable<readonly SeedItem[]>,
  alive: Alive,
): Promise<void> {
  if (ages.olderThanMs === 0) return;
  for await (const items of pages)
    for (const message of items.map(seedMessage))
      if (message.kind !== "junk" && isYoung(ages, message.receivedAtMs)) alive.add(message.conversationId);
}
