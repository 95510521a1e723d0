import { conversationKey } from "../../../core/identity.ts";
import { namesOf } from "../../../core/names.ts";
import {
  alsoAskedFor,
  chooseByName,
  lacksRecord,
  namesWaiting,
  nameWaitingUnder,
} from "../../../core/person.ts";
import { settingsFor } from "../../../core/projects.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Arrival } from "../../../model/message.ts";
import type { StepContext } from "../context.ts";
import { createFor, nextId, ownerlessId } from "./find-conversation.ts";
import { arm, dueIn } from "./window.ts";

/**
 * On-turn messages find their record now. They wait under the id that it has or will have. If that
 * conversation was completed meanwhile, they move to the next one, so that its turns run under its own lease.
 */
export function findRecord(context: StepContext, id: string, state: ConversationState): void {
  const { tables } = context;
  if (!lacksRecord(state, tables.conversations.get(id))) return;
  const rows = messagesOf(tables.staged.all(id));
  if (rows.length === 0) return;
  const messages = rows.map(({ message }) => message);
  const record = resolve(context, id, messages);
  if (record === undefined || record.id === id) return;
  tables.staged.remove(
    id,
    rows.map((row) => row.id),
  );
  for (const row of rows) tables.staged.add({ ...row, conversationId: record.id });
  arm(context, record.id, dueIn(context, record.id));
}

/**
 * The record of on-turn messages: the one under whose id they wait or, if its task is complete, the next one
 * of its person. The id tells whose messages they are: the names were learnt when they were staged, and the
 * number may be another person's by now.
 */
function resolve(
  context: StepContext,
  waitingId: string,
  messages: readonly Arrival[],
): Conversation | undefined {
  const newest = messages.at(-1)!;
  const { tables, settings } = context;
  const key = conversationKey(settings, newest);
  const complete = tables.conversations.get(waitingId);
  const own = messages.flatMap(namesOf);
  const records = tables.names.records(key, [...new Set([...own, ...(complete ? [complete.sender] : [])])]);
  const found = complete ? undefined : nameAt(context, waitingId, messages);
  const known = nameWaitingUnder(messages, { complete, records, found });
  const owners = tables.names.records(key, [known, ...alsoAskedFor({ sender: known }, records)]);
  const active = tables.conversations.active(key, [known]);
  const choice = chooseByName(known, waitingId, active, new Map([...records, ...owners]));
  if (choice.found || settingsFor(settings, newest.channel).admission !== "open") return choice.found;
  const named = { ...key, sender: choice.sender };
  const id = choice.isOwnerless && ownerlessId(context, named, waitingId);
  return createFor(context, key, choice, id);
}

/** The name for whose next conversation these messages wait at this place. */
export function nameAt(
  context: StepContext,
  waitingId: string,
  messages: readonly Arrival[],
): string | undefined {
  const key = conversationKey(context.settings, messages.at(-1)!);
  const records = context.tables.names.records(key, messages.flatMap(namesOf));
  return namesWaiting(messages, records).find((sender) => nextId(context, { ...key, sender }) === waitingId);
}
