import type { Chunk, ChunkState, Draft } from "../ports/draft.ts";
import type { Media } from "../ports/message.ts";

/** What a draft needs next. */
export type DraftStep =
  | { readonly kind: "send"; readonly chunk: number }
  /** Found `sending`: somebody may have sent it. Ask the channel once it had time to settle. */
  | { readonly kind: "ask"; readonly chunk: number; readonly fromAtMs: number }
  | { readonly kind: "done" };

export interface SettleTimes {
  readonly settleMs: number;
  readonly settleDeadMs: number;
}

/**
 * The next step of a draft. A holder that is known dead sends no more bytes after its death, so its chunk settles sooner.
 */
export function nextDraftStep(draft: Draft, times: SettleTimes, holderDeadAtMs?: number): DraftStep {
  const chunk = draft.chunks.findIndex(({ state }) => state.kind === "pending" || state.kind === "sending");
  if (chunk === -1) return { kind: "done" };
  const state = draft.chunks[chunk]!.state;
  if (state.kind !== "sending") return { kind: "send", chunk };
  const fromAtMs =
    holderDeadAtMs === undefined
      ? state.sendByAtMs + times.settleMs
      : Math.min(state.sendByAtMs, holderDeadAtMs) + times.settleDeadMs;
  return { kind: "ask", chunk, fromAtMs };
}

export function withChunk(draft: Draft, index: number, state: ChunkState): Draft {
  return { ...draft, chunks: draft.chunks.map((chunk, at) => (at === index ? { ...chunk, state } : chunk)) };
}

/** A human took over: what is not on its way stays unsaid. */
export function dropPending(draft: Draft): Draft {
  const dropped: ChunkState = { kind: "dropped" };
  return {
    ...draft,
    chunks: draft.chunks.map((chunk) =>
      chunk.state.kind === "pending" ? { ...chunk, state: dropped } : chunk,
    ),
  };
}

/** Media go with the first chunk; without any text they are a chunk of their own. */
export function pendingChunks(texts: readonly string[], media: readonly Media[] = []): Chunk[] {
  const said = texts.length === 0 && media.length > 0 ? [""] : texts;
  return said.map((text, at) => ({
    text,
    ...(at === 0 && media.length > 0 && { media }),
    state: { kind: "pending" },
  }));
}

export function providerIdsOf(draft: Draft): string[] {
  return draft.chunks.flatMap(({ state }) => (state.kind === "sent" ? [state.providerId] : []));
}

/** What the customer was sent, as far as anybody knows: unknown chunks count as said, dropped ones do not. */
export function saidText(draft: Draft): string {
  return draft.chunks
    .filter(({ state }) => state.kind !== "dropped" && state.kind !== "pending")
    .map(({ text }) => text)
    .join("\n");
}

/** A holder's copy of the draft may be older than the provider's callback: what is known to be sent stays sent. */
export function keepSent(stored: Draft | undefined, written: Draft): Draft {
  if (stored?.turnId !== written.turnId) return written;
  const known = (chunk: Chunk, at: number): Chunk => {
    const before = stored.chunks[at];
    const isOlder =
      chunk.state.kind === "sending" || chunk.state.kind === "pending" || chunk.state.kind === "unknown";
    return before?.state.kind === "sent" && isOlder ? before : chunk;
  };
  return { ...written, chunks: written.chunks.map(known) };
}
