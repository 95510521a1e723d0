import { inOrder } from "../../../core/batch.ts";
import { settingsFor } from "../../../core/projects.ts";
import { itemOf, messagesOf } from "../../../core/staged.ts";
import { continuesDraft } from "../../../core/take.ts";
import type { AwsContext } from "../context.ts";
import { isPausedLately, pausedProjectLately } from "../items/controls.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { rememberedAmong } from "../items/seen.ts";
import type { StageRow } from "../items/stage-item.ts";
import { stagedAs, stagedOutbounds, stagedRows, stageKey } from "../items/staged.ts";
import type { Stored } from "../items/state-item.ts";
import type { LeftBehind } from "../left-rows.ts";
import type { ConversationView } from "./conversation-view.ts";
import { noteIfFull } from "./full-conversation.ts";
import { isFresh, nextOf } from "./left-behind.ts";
import { disarm } from "./window.ts";

/** What the previous turn saw is enough if it is still true; otherwise everything is read. */
export async function lookAround(
  context: AwsContext,
  stored: Stored,
  left?: LeftBehind,
): Promise<ConversationView> {
  return (left && (await lookAtNext(context, stored, left))) ?? lookAtAll(context, stored);
}

/** BATCH without DISARM: a window that stands is for messages that came in since. */
async function lookAtNext(
  context: AwsContext,
  stored: Stored,
  left: LeftBehind,
): Promise<ConversationView | undefined> {
  if (!isFresh(context, left)) return undefined;
  const ids = nextOf(context, stored.state, left);
  const [said, messages, record, allPaused, pausedProject, answered] = await Promise.all([
    stagedOutbounds(context, stored.id),
    stagedAs(context, stored.id, ids),
    conversationOf(context, stored.id, left.newest?.sender || stored.sender),
    isPausedLately(context),
    pausedProjectLately(context, left.newestChannel),
    rememberedAmong(context, ids),
  ]);
  const isAsSeen = messages.length === ids.length && answered.size === 0;
  const isTheirs = record && (context.settings.validation !== "on-turn" || !record.taskComplete);
  if (!isAsSeen || !isTheirs) return undefined;
  const rest = left.items.filter(({ id }) => !ids.includes(id));
  const rows = [...said, ...messages];
  return { ...left, stored, rows, rest, record, window: undefined, allPaused, pausedProject };
}

/**
 * DISARM, then BATCH. The order makes a message that comes in now safe: either the read sees it, or it arms a
 * window of its own. A draft is continued with the window left standing: its messages are not in this turn.
 */
async function lookAtAll(context: AwsContext, stored: Stored): Promise<ConversationView> {
  const nowMs = context.clock.nowMs();
  const leasedAtMs = stored.state.lease?.takenAtMs ?? nowMs;
  const isKept = continuesDraft(stored.state, nowMs);
  const window = await (isKept ? undefined : disarm(context, stored.id, leasedAtMs));
  const rows = await stagedRows(context, stored.id, { isForTurn: true });
  const [record, allPaused, answered] = await Promise.all([
    conversationOf(context, stored.id, rows[0]?.sender || stored.sender),
    isPausedLately(context),
    rememberedAmong(context, candidates(context, stored, rows)),
  ]);
  if (answered.size > 0) await dropAnswered(context, stored.id, answered);
  const waiting = rows.filter(({ id }) => !answered.has(id));
  const newestChannel = messagesOf(waiting).at(-1)?.channel;
  const newest = waiting.at(-1);
  const pausedProject = await pausedProjectLately(context, newestChannel);
  const limits = settingsFor(context.settings, newestChannel ?? newest?.channel);
  await noteIfFull(context, stored.id, waiting, limits);
  return {
    stored,
    rows: waiting,
    rest: [],
    newest,
    newestChannel,
    seenAtMs: nowMs,
    record,
    window,
    allPaused,
    pausedProject,
  };
}

/** What this turn could take: what was tried, then the first. A redelivery may have slipped past DEDUPE. */
function candidates({ settings }: AwsContext, { state }: Stored, rows: readonly StageRow[]): string[] {
  const tried = state.works.flatMap(({ messageIds }) => messageIds);
  const first = inOrder(rows.map(itemOf)).slice(0, 2 * settings.batchMessagesMax);
  return [...new Set([...tried, ...first.map(({ id }) => id)])];
}

export async function dropAnswered(
  context: AwsContext,
  conversationId: string,
  ids: ReadonlySet<string>,
): Promise<void> {
  context.log("info", "message.dropped", { conversation: conversationId, messages: ids.size });
  await context.store.writeMany("stage", { delete: [...ids].map((id) => stageKey(conversationId, id)) });
}
