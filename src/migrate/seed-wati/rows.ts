import { createHash } from "node:crypto";
import { seedInstant } from "../../core/seed-time.ts";

/** A row of the file, as it was read. */
export type SeedRow = Readonly<Record<string, unknown>>;

/** An unusable row, and why it is. The reason never quotes what a customer wrote. */
export interface Junk {
  readonly kind: "junk";
  readonly why: string;
}

/** Where OpenAI keeps what was said, under the names that responders know from AWS rows. */
export interface SeedThread {
  readonly kind: "thread";
  readonly waId: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Where a row is in its table, as SQL finds it. */
export interface RowPlace {
  /** Absent in a view, or a table without row numbers. */
  readonly rowid?: bigint;
  /** As they are written there. */
  readonly waId: unknown;
  readonly timestamp: unknown;
}

export interface BufferedMessage {
  readonly kind: "buffered";
  readonly place: RowPlace;
  readonly waId: string;
  /** `text`, `image`, `audio`, `document`. */
  readonly type: string;
  readonly content: string;
  readonly caption: string;
  readonly repliedTo: string;
  readonly atMs: number | undefined;
}

export interface SeedLock {
  readonly kind: "lock";
  readonly waId: string;
  readonly lockedAtMs: number | undefined;
}

export const NO_NUMBER = "wa_id is no telephone number";

/** WATI writes numbers without a plus. Longer ones are another channel's users in the same tables. */
const NUMBER = /^\+?\d{6,15}$/;

/** OpenAI's have a tenth of that. */
const ID_LENGTH_MAX = 500;

export function threadFrom(row: SeedRow): SeedThread | Junk {
  const waId = waIdIn(row);
  if (waId === undefined) return junk(NO_NUMBER);
  const [thread, conversation, response] = [row.thread_id, row.conversation_id, row.last_response_id].map(
    textIn,
  );
  // One that is no id would not fit into its conversation's record, and stop all behind it.
  if ([thread, conversation, response].some((id) => (id?.length ?? 0) > ID_LENGTH_MAX))
    return junk("an id is longer than any of OpenAI's");
  // Later versions wrote the conversation's id under both names.
  const isThread = thread !== "" && thread !== conversation && !thread?.startsWith("conv_");
  const conversationId = conversation || (isThread ? "" : thread);
  return {
    kind: "thread",
    waId,
    attributes: {
      ...(isThread && thread && { openai_thread_id: thread }),
      ...(conversationId && { openai_conversation_id: conversationId }),
      ...(response && { openai_response_id: response }),
    },
  };
}

export function bufferedFrom(row: SeedRow): BufferedMessage | Junk {
  const waId = waIdIn(row);
  if (waId === undefined) return junk(NO_NUMBER);
  // The first version of the table had no types, and called the text `message`.
  const content = row.content ?? row.message;
  if (typeof content !== "string" || content === "") return junk("content is no text");
  return {
    kind: "buffered",
    place: {
      ...(typeof row.rowid === "bigint" && { rowid: row.rowid }),
      waId: row.wa_id,
      timestamp: row.timestamp,
    },
    waId,
    type: textIn(row.message_type) || "text",
    content,
    caption: textIn(row.caption),
    repliedTo: textIn(row.reply_context_id),
    atMs: seedInstant(row.timestamp),
  };
}

export function lockFrom(row: SeedRow): SeedLock | Junk {
  const waId = textIn(row.wa_id);
  if (waId === "") return junk("wa_id is no text");
  return { kind: "lock", waId, lockedAtMs: seedInstant(row.locked_at) };
}

/**
 * Ids for buffered messages, which have none. They follow from what the row says, and for equal rows from
 * their order: the file's own row numbers change when it is compacted.
 */
export function idsOf(messages: readonly BufferedMessage[]): readonly string[] {
  const counts = new Map<string, number>();
  return messages.map(({ waId, type, content, caption, atMs, place }) => {
    const said = JSON.stringify([waId, type, content, caption, atMs ?? writtenTime(place)]);
    const count = counts.get(said) ?? 0;
    counts.set(said, count + 1);
    return createHash("sha256").update(`${said}#${count}`).digest("base64url").slice(0, 22);
  });
}

/** A time that cannot be read still tells a row from one that says the same at another. */
function writtenTime({ timestamp }: Pick<RowPlace, "timestamp">): string | null {
  if (timestamp === undefined || timestamp === null) return null;
  return timestamp instanceof Uint8Array ? Buffer.from(timestamp).toString("hex") : String(timestamp);
}

function waIdIn(row: SeedRow): string | undefined {
  const text = writtenWaId(row);
  return NUMBER.test(text) ? text.replace(/^\+/, "") : undefined;
}

/** As it is written there. */
export function writtenWaId({ wa_id }: SeedRow): string {
  return typeof wa_id === "number" || typeof wa_id === "bigint" ? String(wa_id) : textIn(wa_id);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function junk(why: string): Junk {
  return { kind: "junk", why };
}
