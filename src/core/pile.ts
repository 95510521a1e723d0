import type { InboundMessage, Media } from "../model/message.ts";

/** The least that a medium counts for: a responder that looks at it pays for more than its address. */
const MEDIUM_BYTES_MIN = 200;

/** What a message adds to a batch or a pile: its text, and all else whose length the sender chooses. */
export function bytesOf({
  text,
  media,
  fields = {},
}: Pick<InboundMessage, "text" | "media" | "fields">): number {
  const told = Object.entries(fields).reduce((sum, [name, value]) => sum + size(name) + size(value), 0);
  return media.reduce((sum, medium) => sum + mediumBytes(medium), size(text) + told);
}

function mediumBytes({ url, contentType, name = "" }: Media): number {
  return Math.max(MEDIUM_BYTES_MIN, size(url) + size(contentType) + size(name));
}

function size(text: string): number {
  return Buffer.byteLength(text);
}

/** What is staged in one conversation. */
export interface Pile {
  readonly messages: number;
  readonly bytes: number;
}

export interface PileLimits {
  readonly stagedMessagesMax: number;
  readonly stagedBytesMax: number;
}

/** Whether one more message has no room. The first always has: it would never become smaller. */
export function isFull(pile: Pile, limits: PileLimits, bytesMore: number): boolean {
  if (pile.messages === 0) return false;
  return pile.messages >= limits.stagedMessagesMax || pile.bytes + bytesMore > limits.stagedBytesMax;
}

/** The answer to a message for a full conversation, once that is recorded and its customer was told. */
export function stillFull(conversationId: string) {
  return { kind: "refused", code: "RATE_LIMITED", conversationId, tellBusy: false } as const;
}

export function pileOf(rows: readonly { readonly bytes: number }[]): Pile {
  return { messages: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}
