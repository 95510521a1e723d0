import { expect, test } from "vitest";
import type { REPLY } from "../core/reply.ts";
import type { Conversation } from "../model/conversation.ts";
import type { DeadLetter } from "../model/dead-letter.ts";
import type { Chunk, ChunkState, Draft } from "../model/draft.ts";
import type { HistoryMessage, MessagePart } from "../model/history.ts";
import type { Media, StagedMessage } from "../model/message.ts";
import type { Refusal } from "../model/refusal.ts";
import type { FullReply, Usage } from "../model/reply.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { UnknownSend } from "../model/unknown-send.ts";
import type { ConversationDetail, Counts, LockRecord, QuarantinedRow } from "../ports/inspector.ts";
import type { CreateResult } from "../runtime/create-conversation.ts";
import { componentsIn, type Infer, type Schema } from "../schema/schema.ts";
import * as schemas from "./api-schemas.ts";

/** Through every level, so that how a type is put together makes no difference. */
type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T;

type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** The schema says of an answer what the type says: not less, and not more. */
type Describes<S extends Schema, T> = Same<Infer<S>, T>;

type AllTrue<T extends Readonly<Record<string, true>>> = T;

/** One of several kinds as one object: each has its `kind`, and may have what any of them has. */
type Merged<T extends { readonly kind: string }> = { readonly kind: T["kind"] } & {
  readonly [K in T extends unknown ? Exclude<keyof T, "kind"> : never]?: T extends Readonly<
    Record<K, infer V>
  >
    ? V
    : never;
};

/** A field that only one of the two has, or that differs, does not compile. */
type Described = AllTrue<{
  usage: Describes<typeof schemas.USAGE, Usage>;
  reply: Describes<typeof REPLY, Omit<FullReply, "usage"> & { readonly usage?: Partial<Usage> }>;
  media: Describes<typeof schemas.MEDIA, Media>;
  conversation: Describes<typeof schemas.CONVERSATION, Conversation>;
  created: Describes<typeof schemas.CREATED_CONVERSATION, CreateResult>;
  staged: Describes<typeof schemas.STAGED_MESSAGE, StagedMessage>;
  part: Describes<typeof schemas.MESSAGE_PART, MessagePart>;
  message: Describes<typeof schemas.HISTORY_MESSAGE, HistoryMessage>;
  turn: Describes<typeof schemas.TURN, TurnRecord>;
  lock: Describes<typeof schemas.LOCK, LockRecord>;
  chunk: Describes<typeof schemas.CHUNK, Chunk>;
  state: Describes<typeof schemas.CHUNK_STATE, Merged<ChunkState>>;
  draft: Describes<typeof schemas.DRAFT, Draft>;
  refusal: Describes<typeof schemas.REFUSAL, Refusal>;
  quarantined: Describes<typeof schemas.QUARANTINED_ROW, QuarantinedRow>;
  dead: Describes<typeof schemas.DEAD_LETTER, DeadLetter>;
  unknown: Describes<typeof schemas.UNKNOWN_SEND, UnknownSend>;
  detail: Describes<typeof schemas.CONVERSATION_DETAIL, ConversationDetail>;
  counts: Describes<typeof schemas.COUNTS, Counts>;
}>;

type NoneTrue<T extends Readonly<Record<string, false>>> = T;

/** Neither does it compile if this comparison lets anything through. */
type Distinguished = NoneTrue<{
  less: Same<Omit<Usage, "totalTokens">, Usage>;
  more: Same<Usage & { readonly cost?: number }, Usage>;
  optional: Same<Partial<Usage>, Usage>;
  word: Same<{ readonly role: "user" }, Pick<HistoryMessage, "role">>;
  inside: Same<
    { readonly media: readonly (Media & { readonly alt?: string })[] },
    Pick<StagedMessage, "media">
  >;
  kind: Same<Merged<Exclude<ChunkState, { kind: "sent" }>>, Merged<ChunkState>>;
}>;

test("every component is closed: clients may rely on the document; new fields are documented first", () => {
  const components = Object.entries(componentsIn(schemas));
  expect(components.length).toBeGreaterThan(15);
  const open = components.filter(
    ([, schema]) => (schema as { additionalProperties?: unknown }).additionalProperties !== false,
  );
  expect(open).toEqual([]);
  expect({} satisfies Partial<Described & Distinguished>).toEqual({});
});
