import type { ChunkReference } from "../../model/message.ts";

const PREFIX = "lull.";

/**
 * Our own name for a chunk, sent as WATI's `localMessageId`. It comes back on delivery events and in the list
 * of messages; it does not stop WATI from taking the same message twice.
 */
export function chunkName({ turnId, chunk }: ChunkReference): string {
  return `${PREFIX}${turnId}.${chunk}`;
}

/** Undefined for a name that is not ours. A turn's id may hold dots, a chunk's number does not. */
export function chunkNamed(name: string | undefined): ChunkReference | undefined {
  if (!name?.startsWith(PREFIX)) return undefined;
  const [, turnId, chunk] = /^(.+)\.(\d{1,9})$/s.exec(name.slice(PREFIX.length)) ?? [];
  return turnId === undefined ? undefined : { turnId, chunk: Number(chunk) };
}
