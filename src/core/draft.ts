import type { ReplySent } from "../model/dead-letter.ts";
import type { Chunk, ChunkState, Draft } from "../model/draft.ts";
import type { Media } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";
import { isSameAddress } from "./own-addresses.ts";

const HOUR = 3_600_000;

/** What a draft needs next. */
export type DraftAction =
  | { readonly kind: "send"; readonly chunk: number }
  /**
   * Found `sending`: an earlier holder may have sent it, so the channel is asked. What it finds is proof at
   * any time. That it finds nothing counts only from `settledAtMs` on, since the request may still be inside
   * the provider.
   */
  | { readonly kind: "ask"; readonly chunk: number; readonly settledAtMs: number }
  | { readonly kind: "done" };

/** What decides how long a send needs to settle. */
export type SettleTimes = Pick<Settings, "settleMs" | "channels">;

export function nextDraftAction(draft: Draft, times: SettleTimes): DraftAction {
  const chunk = draft.chunks.findIndex(({ state }) => state.kind === "pending" || state.kind === "sending");
  if (chunk === -1) return { kind: "done" };
  const state = draft.chunks[chunk]!.state;
  if (state.kind !== "sending") return { kind: "send", chunk };
  const settleMs = times.channels[draft.channel]?.settleMs ?? times.settleMs;
  return { kind: "ask", chunk, settledAtMs: state.sendByAtMs + settleMs };
}

/** The sender sends no more bytes after this moment: it died, or its request is over. */
export function endSending(draft: Draft, atMs: number): Draft {
  const ended = (chunk: Chunk): Chunk =>
    chunk.state.kind === "sending" && chunk.state.sendByAtMs > atMs
      ? { ...chunk, state: { kind: "sending", sendByAtMs: atMs } }
      : chunk;
  return { ...draft, chunks: draft.chunks.map(ended) };
}

/**
 * A draft that was written by a clock that has been set back since. `draftedAtMs` goes back by one hour more:
 * how long ago it really was is unknown, and what the provider took before `draftedAtMs` is not looked at.
 * Texts of earlier turns are told apart by their recorded ids, too.
 */
export function draftOnEarlierClock(draft: Draft, nowMs: number): Draft {
  const { awaitingUntilAtMs, draftedAtMs } = draft;
  return {
    ...endSending(draft, nowMs),
    ...(awaitingUntilAtMs !== undefined && { awaitingUntilAtMs: nowMs + (awaitingUntilAtMs - draftedAtMs) }),
    draftedAtMs: nowMs - HOUR,
  };
}

export function replySent(draft: Draft | undefined): ReplySent {
  const kinds = new Set(draft?.chunks.map(({ state }) => state.kind));
  if (kinds.has("sending") || kinds.has("unknown")) return "unknown";
  if (!kinds.has("sent")) return "none";
  return kinds.has("pending") ? "part" : "whole";
}

/** Something that was sent: through which channel, and from which address of ours, if that is known. */
interface SentThrough {
  readonly channel: string;
  readonly from?: string;
}

/** Where a callback came from: a channel and, if it says so, the address of ours that it speaks for. */
export interface CallbackSource {
  readonly channel: string;
  readonly address?: string | undefined;
}

/** A callback of one channel or address of ours proves nothing about what another one sent. */
export function isFromSender({ channel, from = "" }: SentThrough, source: CallbackSource): boolean {
  const isFrom = source.address === undefined || from === "" || isSameAddress(source.address, from);
  return source.channel === channel && isFrom;
}

export function withChunk(draft: Draft, index: number, state: ChunkState): Draft {
  return { ...draft, chunks: draft.chunks.map((chunk, at) => (at === index ? { ...chunk, state } : chunk)) };
}

/** A human took over: chunks that are still pending are not sent. */
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

/** As far as is known: an unknown chunk counts as sent. */
export function wentOut({ state }: Chunk): boolean {
  return state.kind !== "dropped" && state.kind !== "pending";
}

/** What the customer was sent. */
export function saidText({ chunks }: Draft): string {
  return chunks
    .filter(wentOut)
    .map(({ text }) => text)
    .join("\n");
}

/** A holder's copy of the draft may be older than a callback: a chunk known to be sent stays sent. */
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
