import { expect, test } from "vitest";
import type { ReplySent } from "../core/draft.ts";
import { componentsIn, type Infer, type Schema } from "../core/schema.ts";
import type { Conversation } from "../model/conversation.ts";
import type { DeadLetter } from "../model/dead-letter.ts";
import type { Chunk, Draft } from "../model/draft.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { Media, StagedMessage } from "../model/message.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Usage } from "../model/reply.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { UnknownSend } from "../model/unknown-send.ts";
import type { WindowPolicy } from "../model/window.ts";
import type { ConversationDetail, Counts, LockRecord, QuarantinedRow } from "../ports/inspector.ts";
import * as schemas from "./api-schemas.ts";

type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : S;

type PublicKey<K> = K extends "atMs"
  ? "at"
  : K extends `${infer Start}AtMs`
    ? `${Snake<Start>}_at`
    : K extends string
      ? Snake<K>
      : never;

interface PublicWindow {
  readonly seconds?: number;
  readonly quiet_seconds?: number;
  readonly max_seconds?: number;
}

/** What `toPublic` makes of a shape of ours. */
type Public<T> = T extends WindowPolicy
  ? PublicWindow
  : T extends readonly (infer Item)[]
    ? readonly Public<Item>[]
    : T extends object
      ? {
          readonly [K in keyof T as PublicKey<K>]: K extends "attributes" | "fields"
            ? T[K]
            : K extends `${string}tMs`
              ? string
              : Public<T[K]>;
        }
      : T;

type Answers<S extends Schema, T> = [Public<T>] extends [Infer<S>]
  ? [keyof Public<T>] extends [keyof Infer<S>]
    ? true
    : { readonly notDescribed: Exclude<keyof Public<T>, keyof Infer<S>> }
  : { readonly described: Infer<S>; readonly given: Public<T> };

type AllTrue<T extends Readonly<Record<string, true>>> = T;

/** A schema that does not match its shape does not compile: a new field of a port gets a line here. */
type Described = AllTrue<{
  usage: Answers<typeof schemas.USAGE, Usage>;
  media: Answers<typeof schemas.MEDIA, Media>;
  conversation: Answers<typeof schemas.CONVERSATION, Conversation>;
  staged: Answers<typeof schemas.STAGED_MESSAGE, StagedMessage>;
  part: Answers<typeof schemas.MESSAGE_PART, NonNullable<HistoryMessage["parts"]>[number]>;
  message: Answers<typeof schemas.HISTORY_MESSAGE, HistoryMessage>;
  turn: Answers<typeof schemas.TURN, TurnRecord>;
  lock: Answers<typeof schemas.LOCK, LockRecord>;
  chunk: Answers<typeof schemas.CHUNK, Chunk>;
  draft: Answers<typeof schemas.DRAFT, Draft>;
  refusal: Answers<typeof schemas.REFUSAL, Refusal>;
  quarantined: Answers<typeof schemas.QUARANTINED_ROW, QuarantinedRow>;
  dead: Answers<typeof schemas.DEAD_LETTER, DeadLetter & { readonly replySent: ReplySent }>;
  unknown: Answers<typeof schemas.UNKNOWN_SEND, UnknownSend>;
  detail: Answers<typeof schemas.CONVERSATION_DETAIL, ConversationDetail>;
  counts: Answers<typeof schemas.COUNTS, Counts>;
}>;

test("every component is closed: clients may rely on the document; new fields are documented first", () => {
  const components = Object.entries(componentsIn(schemas));
  expect(components.length).toBeGreaterThan(15);
  const open = components.filter(
    ([, schema]) => (schema as { additionalProperties?: unknown }).additionalProperties !== false,
  );
  expect(open).toEqual([]);
  expect({} satisfies Partial<Described>).toEqual({});
});
