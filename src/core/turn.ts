import type { Commit } from "../model/commit.ts";
import type { ConversationStatus } from "../model/conversation.ts";
import type { Draft } from "../model/draft.ts";
import type { HistoryMessage, MessagePart } from "../model/history.ts";
import type { StagedMessage } from "../model/message.ts";
import type { OutboundRequest } from "../model/outbound.ts";
import type { OwnSettings } from "../model/settings.ts";
import type { StagedRow } from "../model/staged.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { UnknownSend } from "../model/unknown-send.ts";
import type { RecordChange } from "./conversation-change.ts";
import { keepSent, providerIdsOf, saidText, wentOut } from "./draft.ts";
import { unknownSendId } from "./identity.ts";
import { channelOf } from "./new-draft.ts";
import { isFailureNotice } from "./notices.ts";
import { workUnder } from "./running-turn.ts";
import type { ConversationState, Work } from "./state.ts";
import { inBatchOrder } from "./taken.ts";

/** A turn at its commit: what was taken, and what came of it. */
export interface FinishedTurn {
  readonly work: Work;
  readonly commit: Commit;
  /** The draft as it is known to have been sent. */
  readonly draft: Draft | undefined;
  /** The batch in order. Empty when the turn carried out an outbound. */
  readonly messages: readonly StagedMessage[];
  readonly nowMs: number;
}

/** The turn that runs, at its commit. `rows` are those of its batch, as far as they are there. */
export function finishedTurn(
  state: ConversationState,
  commit: Commit,
  rows: readonly StagedRow[],
  nowMs: number,
): FinishedTurn {
  const work = workUnder(state);
  const draft = commit.draft && keepSent(state.draft, commit.draft);
  return { work, commit, draft, messages: inBatchOrder(work, rows), nowMs };
}

/** What the customer and the assistant said, as far as each said something. */
export function spokenIn({ work, commit, draft, messages, nowMs }: FinishedTurn): HistoryMessage[] {
  const { turnId } = work;
  const out = draft?.chunks.filter(wentOut) ?? [];
  const spoken: HistoryMessage[] = [];
  if (commit.userText !== undefined) {
    const { userText: text, userMedia: media = [] } = commit;
    spoken.push({ role: "user", text, media, atMs: work.openedAtMs, turnId, parts: messages.map(partOf) });
  }
  if (draft && out.length > 0) {
    const author = draft.author === undefined ? {} : { author: draft.author };
    const media = out.flatMap((chunk) => chunk.media ?? []);
    const atMs = commit.sentAtMs ?? nowMs;
    spoken.push({ role: "assistant", text: saidText(draft), media, atMs, turnId, ...author });
  }
  return spoken;
}

export function partOf({ id, text, media, arrivedAtMs, sentAtMs }: StagedMessage): MessagePart {
  return { id, text, media, arrivedAtMs, ...(sentAtMs !== undefined && { sentAtMs }) };
}

export function turnRecord({ work, commit, draft, messages, nowMs }: FinishedTurn): TurnRecord {
  return {
    turnId: work.turnId,
    conversationId: work.recordId,
    outcome: commit.outcome,
    channel: channelOf({ draft, messages }),
    messageIds: messages.map(({ id }) => id),
    providerIds: draft ? providerIdsOf(draft) : [],
    attempts: work.attempts,
    restarts: work.restarts,
    ...(commit.usage && { usage: commit.usage }),
    openedAtMs: work.openedAtMs,
    dueAtMs: work.dueAtMs,
    takenAtMs: work.takenAtMs,
    ...(commit.answerStartedAtMs !== undefined && { answerStartedAtMs: commit.answerStartedAtMs }),
    ...(commit.answeredAtMs !== undefined && { answeredAtMs: commit.answeredAtMs }),
    ...(commit.sentAtMs !== undefined && { sentAtMs: commit.sentAtMs }),
    committedAtMs: nowMs,
  };
}

/** The chunks whose outcome is unknown. */
export function unknownSendsOf({ work, draft, nowMs }: FinishedTurn): UnknownSend[] {
  if (!draft) return [];
  const { turnId, channel, to, addressee, from } = draft;
  return draft.chunks.flatMap(({ state, text, media }, chunk) =>
    state.kind === "unknown"
      ? [
          {
            id: unknownSendId({ turnId, chunk }),
            conversationId: work.recordId,
            turnId,
            chunk,
            channel,
            to,
            ...(addressee !== undefined && { addressee }),
            from,
            text,
            ...(media && { media }),
            atMs: nowMs,
          },
        ]
      : [],
  );
}

/** What an operator has sent again: an outbound like any other. */
export function resendOf(unknown: UnknownSend): OutboundRequest {
  const { id, conversationId, channel, to, addressee, text, media } = unknown;
  return {
    id: `resend-${id}`,
    conversationId,
    channel,
    to,
    ...(addressee !== undefined && { addressee }),
    texts: [text],
    ...(media && { media }),
    author: "resend",
  };
}

/** What a turn changes in its conversation's record, besides the usage that it adds. */
export function changeByTurn(commit: Commit): RecordChange {
  const { complete, handOff } = commit;
  const status = statusAfter(commit);
  return {
    ...(status && { status }),
    ...(complete !== undefined && { taskComplete: complete }),
    ...(handOff !== undefined && { handedOff: true, handOffReason: handOff }),
  };
}

/** Undefined if the turn leaves it unchanged. */
function statusAfter({ outcome, handOff, draft }: Commit): ConversationStatus | undefined {
  // What fails, or failed, goes on to show.
  if (draft && isFailureNotice(draft)) return undefined;
  if (outcome === "handed-off" || handOff !== undefined) return "awaiting_agent";
  if (outcome === "queued") return "queued_for_ai";
  return outcome === "replied" || outcome === "unknown" ? "reply_sent" : undefined;
}

/** Newer messages may restart the turn, at most `restartsMax` times. */
export function mayRestart(
  { whileBusy, restartsMax }: Pick<OwnSettings, "whileBusy" | "restartsMax">,
  { restarts }: { readonly restarts: number },
): boolean {
  return whileBusy === "restart" && restarts < restartsMax;
}
