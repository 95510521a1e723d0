/** What waits in one conversation. */
export interface Pile {
  readonly messages: number;
  readonly bytes: number;
}

export interface PileLimits {
  readonly stagedMessagesMax: number;
  readonly stagedBytesMax: number;
}

/** Whether one more message has no place. The first one always has: it would never become smaller. */
export function isFull(pile: Pile, limits: PileLimits, bytesMore: number): boolean {
  if (pile.messages === 0) return false;
  return pile.messages >= limits.stagedMessagesMax || pile.bytes + bytesMore > limits.stagedBytesMax;
}

export function pileOf(rows: readonly { readonly bytes: number }[]): Pile {
  return { messages: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}
