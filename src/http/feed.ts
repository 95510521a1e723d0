import type { Channel } from "../ports/channel.ts";
import type { HistoryMessage } from "../ports/conversations.ts";
import type { Engine } from "../ports/engine.ts";
import type { ConversationDetail, LockRecord, TurnRecord } from "../ports/inspector.ts";
import type { StagedMessage } from "../ports/message.ts";
import type { Service } from "../runtime/service.ts";
import { failure, isRead, json, methodNotAllowed, notFound } from "./answers.ts";
import { sameSecret } from "./constant-time.ts";
import type { EdgeAnswer, EdgeRequest } from "./edge.ts";
import { isoTime } from "./public-json.ts";
import { createUrl } from "./public-url.ts";

/** A visitor id is a capability. Shorter ones could be guessed, and searching for them would find everybody. */
const SENDER_LENGTH_MIN = 8;
const TURNS_MAX = 50;
const SEARCH_MAX = 20;

/** What the phone page shows of a conversation: messages, what waits, what happens now. */
export function createFeed(
  service: Service,
): (channel: Channel, request: EdgeRequest) => Promise<EdgeAnswer> {
  const urlOf = createUrl(service.publicUrl);
  return async (channel, request) => {
    if (!isRead(request.method)) return methodNotAllowed(["GET"]);
    const { headers, query } = request;
    const sender = query.get("sender") ?? "";
    if (sender.length < SENDER_LENGTH_MIN)
      return failure(400, "INVALID_QUERY", "sender is missing or too short");
    // Whoever may write as this sender may read as this sender: the proof is asked for as if this were a message.
    const body = Buffer.from(JSON.stringify({ sender }));
    const verdict = await channel.verify({ method: "POST", url: urlOf(request), headers, body });
    if (verdict.kind === "refused") return failure(401, "INVALID_SIGNATURE", verdict.why);

    const detail = await find(await service.engine(), query.get("conversation"), sender);
    // The same answer for "not there" and "not yours": nobody learns which conversations exist.
    if (!detail) return notFound("there is no such conversation of this visitor");
    return json(200, feedOf(detail, afterOf(query), service.nowMs()));
  };
}

async function find(
  engine: Engine,
  id: string | null,
  sender: string,
): Promise<ConversationDetail | undefined> {
  const known = id ?? (await latestOf(engine, sender));
  const detail = known === undefined ? undefined : await engine.inspector.conversation(known);
  if (detail?.conversation.channelType !== "web") return undefined;
  return sameSecret(sender, detail.conversation.sender) ? detail : undefined;
}

/** For a visitor whose first acknowledgement got lost: the second try is a duplicate, and names no conversation. */
async function latestOf(engine: Engine, sender: string): Promise<string | undefined> {
  const { items } = await engine.inspector.conversations({ search: sender, limit: SEARCH_MAX });
  const own = items.filter((each) => each.channelType === "web" && each.sender === sender);
  return own.sort((a, b) => b.createdAtMs - a.createdAtMs)[0]?.id;
}

function afterOf(query: URLSearchParams): number {
  const after = Number(query.get("after"));
  return Number.isFinite(after) ? after : 0;
}

function feedOf(detail: ConversationDetail, after: number, nowMs: number): unknown {
  const { conversation, staged, lock } = detail;
  return {
    conversation: conversation.id,
    now: isoTime(nowMs),
    ...stateOf(lock, staged.length, nowMs),
    status: conversation.status,
    paused: conversation.paused,
    handed_off: conversation.handedOff,
    complete: conversation.taskComplete,
    staged: staged.length,
    waiting: staged.map(waitingMessage),
    messages: numbered(detail.messages).filter(({ n }) => n > after),
    turns: newest(detail.turns).map(publicTurn),
  };
}

/** Under the id that the page gave it; the channel put the sender in front. */
function waitingMessage({ providerId, sender, text, arrivedAtMs }: StagedMessage): unknown {
  const id = providerId.startsWith(`${sender}/`) ? providerId.slice(sender.length + 1) : providerId;
  return { id, text, at: isoTime(arrivedAtMs) };
}

/** A lease outlives its holder's process, so only one that has not run out counts. A draft without one awaits its answer. */
function stateOf(
  lock: LockRecord | undefined,
  staged: number,
  nowMs: number,
): { state: string; due_in_ms?: number } {
  const due = lock?.window && { due_in_ms: Math.max(0, lock.window.dueAtMs - nowMs) };
  const leased = lock?.lease !== undefined && lock.lease.untilAtMs > nowMs;
  if (leased || lock?.draft) return { state: "answering", ...due };
  return { state: staged > 0 || lock?.window ? "gathering" : "idle", ...due };
}

/** `n` grows with every message. It goes by time, so that it stays the same when a long history is cut at its old end. */
function numbered(messages: readonly HistoryMessage[]): { n: number }[] {
  let last = 0;
  return messages.map(({ role, text, atMs, turnId }) => {
    last = Math.max(atMs, last + 1);
    return { n: last, role, text, at: isoTime(atMs), turn_id: turnId };
  });
}

function newest(turns: readonly TurnRecord[]): TurnRecord[] {
  return [...turns].sort((a, b) => a.committedAtMs - b.committedAtMs).slice(-TURNS_MAX);
}

function publicTurn(turn: TurnRecord): unknown {
  return {
    turn_id: turn.turnId,
    outcome: turn.outcome,
    message_ids: turn.messageIds,
    attempts: turn.attempts,
    opened_at: isoTime(turn.openedAtMs),
    due_at: isoTime(turn.dueAtMs),
    taken_at: isoTime(turn.takenAtMs),
    committed_at: isoTime(turn.committedAtMs),
  };
}
