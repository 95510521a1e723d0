import { parsed, type Sound } from "../../core/shape.ts";
import { soundConversation } from "../../core/sound-conversation.ts";
import { soundMessage, soundOutbound } from "../../core/sound-message.ts";
import {
  soundHistory,
  soundLetter,
  soundNameRecord,
  soundRefusal,
  soundTurn,
  soundUnknown,
} from "../../core/sound-records.ts";
import { soundState } from "../../core/sound-state.ts";
import type { ConversationState } from "../../core/state.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { NameRecord } from "../../model/names.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { StagedRow } from "../../model/staged.ts";
import type { TurnRecord } from "../../model/turn.ts";
import type { UnknownSend } from "../../model/unknown-send.ts";
import type { StoredDeadLetter } from "../embedded/tables.ts";
import { isLossy, type Row } from "./statements.ts";

/** The value of a row of each table. */
export interface RowValues {
  readonly states: ConversationState;
  readonly staged: StagedRow;
  readonly conversations: Conversation;
  readonly messages: HistoryMessage;
  readonly turns: StoredTurn;
  readonly dead_letters: StoredDeadLetter;
  readonly unknown_sends: UnknownSend;
  readonly refusals: Refusal;
  readonly names: { readonly name: string; readonly record: NameRecord };
}

/** As much of it as was read. */
export interface StoredTurn {
  readonly turn?: TurnRecord;
  readonly messages: readonly HistoryMessage[];
}

export type TableName = keyof RowValues;

/** A row as it was read, if it is ours: other programs can write into the file, and disks fail. */
export const SOUND_ROWS: { readonly [T in TableName]: (row: Row) => Sound<RowValues[T]> } = {
  states: (row) => {
    const { conversation_id: id } = row;
    // A row that was looked up by its id does not select it: the id is known to be a text.
    return id === undefined || isId(id) ? from(row.state, soundState) : foreign("conversation_id is no text");
  },
  staged: stagedFrom,
  conversations: (row) => {
    const read = from(row.record, soundConversation);
    return read.kind === "sound" && read.value.id !== row.id ? foreign("id is another one") : read;
  },
  messages: (row) => from(row.record, soundHistory),
  turns: turnFrom,
  dead_letters: (row) => from(row.record, letterFrom),
  unknown_sends: (row) => from(row.record, soundUnknown),
  refusals: (row) => from(row.record, soundRefusal),
  names: (row) => {
    const { name } = row;
    const read = from(row.record, soundNameRecord);
    if (!isId(name)) return foreign("name is no text");
    return read.kind === "sound" ? { kind: "sound", value: { name, record: read.value } } : read;
  },
};

function from<T>(stored: unknown, sound: (value: unknown) => Sound<T>): Sound<T> {
  const read = parsed(stored);
  return read.kind === "sound" ? sound(read.value) : read;
}

function isId(value: Row[string] | undefined): value is string {
  return typeof value === "string" && !isLossy(value);
}

function foreign(why: string): { readonly kind: "foreign"; readonly why: string } {
  return { kind: "foreign", why };
}

function turnFrom({ record, messages }: Row): Sound<StoredTurn> {
  const turn = record === undefined ? undefined : from(record, soundTurn);
  if (turn?.kind === "foreign") return turn;
  // In 0.1.0 and early builds of 0.2.0 they were rows of their own.
  const said = messages === undefined || messages === null ? NOTHING_SAID : from(messages, saidIn);
  if (said.kind === "foreign") return said;
  return { kind: "sound", value: { ...(turn && { turn: turn.value }), messages: said.value } };
}

const NOTHING_SAID: Sound<readonly HistoryMessage[]> = { kind: "sound", value: [] };

function saidIn(value: unknown): Sound<readonly HistoryMessage[]> {
  if (!Array.isArray(value)) return foreign("messages is no list");
  const read = value.map(soundHistory);
  const wrong = read.find((each) => each.kind === "foreign");
  if (wrong?.kind === "foreign") return wrong;
  return { kind: "sound", value: read.flatMap((each) => (each.kind === "sound" ? [each.value] : [])) };
}

/** A row is removed by its `id`: if its item has another one, it would be answered again and again. */
function stagedFrom(row: Row): Sound<StagedRow> {
  const { kind, bytes, conversation_id: conversationId } = row;
  const sequence = Number(row.sequence);
  if (!isId(conversationId)) return foreign("conversation_id is no text");
  if (!Number.isSafeInteger(row.sequence)) return foreign("sequence is no count");
  if (!Number.isSafeInteger(bytes)) return foreign("bytes is no count");
  const base = { conversationId, bytes: Number(bytes) };
  const read = parsed(row.item);
  if (read.kind === "foreign") return read;
  if (kind === "message") {
    const item = soundMessage({ ...(read.value as object), sequence });
    if (item.kind === "foreign") return item;
    const { value: message } = item;
    if (message.id !== row.id) return foreign("id is another one");
    return { kind: "sound", value: { kind, id: message.id, ...base, message } };
  }
  if (kind !== "outbound") return foreign("kind is none of the known words");
  const item = soundOutbound(read.value);
  if (item.kind === "foreign") return item;
  const { value: outbound } = item;
  if (outbound.id !== row.id) return foreign("id is another one");
  return { kind: "sound", value: { kind, id: outbound.id, ...base, outbound, sequence } };
}

/** Its messages are kept as they were staged. */
function letterFrom(value: unknown): Sound<StoredDeadLetter> {
  const letter = soundLetter(value);
  if (letter.kind === "foreign") return letter;
  const { rows } = value as { readonly rows?: unknown };
  if (!Array.isArray(rows)) return foreign("rows is no list");
  const wrong = rows.map(keptFrom).findIndex(({ kind }) => kind === "foreign");
  if (wrong >= 0) return foreign(`rows[${wrong}] is no staged row`);
  return { kind: "sound", value: value as StoredDeadLetter };
}

function keptFrom(value: unknown): Sound<unknown> {
  const row = (value ?? {}) as Partial<Record<string, unknown>>;
  const isKeyed = typeof row.id === "string" && typeof row.conversationId === "string";
  if (!isKeyed || !Number.isSafeInteger(row.bytes)) return foreign("it has no key");
  if (row.kind === "message") return soundMessage(row.message);
  return row.kind === "outbound" ? soundOutbound(row.outbound) : foreign("kind is none of the known words");
}
