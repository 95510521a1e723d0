import assert from "node:assert/strict";
import { mergeTexts } from "../../core/batch.ts";
import { pendingChunks, withChunk } from "../../core/draft.ts";
import type { Commit } from "../../model/commit.ts";
import type { Draft } from "../../model/draft.ts";
import type { Arrival } from "../../model/message.ts";
import type { Taken } from "../../model/take.ts";

/** A message as it arrives. A case gives what matters to it; the rest is Ana's. */
export function arrival(given: Partial<Arrival> & Pick<Arrival, "providerId" | "arrivedAtMs">): Arrival {
  const sender = given.sender ?? "ana";
  return {
    channel: "test",
    account: "account",
    address: "lull",
    sender,
    replyTo: sender,
    text: "hi",
    media: [],
    position: 0,
    ...given,
  };
}

/** What a worker would write down as its answer, nothing of it sent yet. */
export function draftFor(
  taken: Taken,
  texts: string | readonly string[] = "ok",
  given: Partial<Draft> = {},
): Draft {
  const newest = taken.messages.at(-1);
  const { outbound } = taken;
  return {
    turnId: taken.turnId,
    messageIds: taken.messages.map(({ id }) => id),
    channel: outbound?.channel ?? newest!.channel,
    to: outbound?.to ?? newest!.replyTo,
    from: newest?.address ?? taken.conversation.address,
    chunks: pendingChunks([texts].flat()),
    ...(outbound && { author: outbound.author }),
    answerStartedAtMs: taken.takenAtMs,
    draftedAtMs: taken.takenAtMs,
    ...given,
  };
}

export function sending(draft: Draft, chunk: number, sendByAtMs: number): Draft {
  return withChunk(draft, chunk, { kind: "sending", sendByAtMs });
}

export function sent(draft: Draft, chunk: number, providerId = `out-${draft.turnId}-${chunk}`): Draft {
  return withChunk(draft, chunk, { kind: "sent", providerId, atMs: draft.draftedAtMs });
}

export function allSent(draft: Draft): Draft {
  return draft.chunks.reduce((current, _, chunk) => sent(current, chunk), draft);
}

export function unknown(draft: Draft, chunk: number): Draft {
  return withChunk(draft, chunk, { kind: "unknown" });
}

/** The commit of a turn whose reply went out. `more` as the runtime says it. */
export function replied(taken: Taken, draft: Draft, given: Partial<Commit> = {}): Commit {
  return { outcome: "replied", ...userSide(taken), draft, more: wantsMore(taken), ...given };
}

export function silent(taken: Taken, given: Partial<Commit> = {}): Commit {
  return { outcome: "no-reply", ...userSide(taken), more: wantsMore(taken), ...given };
}

function userSide({ messages }: Taken): Pick<Commit, "userText"> {
  return messages.length === 0 ? {} : { userText: mergeTexts(messages) };
}

function wantsMore({ cut, draft, outbound }: Taken): boolean {
  return cut || draft !== undefined || outbound !== undefined;
}

export function textsOf(taken: Taken): string[] {
  return taken.messages.map(({ text }) => text);
}

/** The value as the one kind of outcome that the case expects. */
export function as<K extends string, T extends { readonly kind: string }>(
  kind: K,
  outcome: T,
): Extract<T, { kind: K }> {
  assert.equal(outcome.kind, kind, `expected ${kind}, got ${JSON.stringify(outcome)}`);
  return outcome as Extract<T, { kind: K }>;
}
