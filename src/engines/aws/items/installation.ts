import { createHmac } from "node:crypto";
import { conversationId, secretFor } from "../../../core/identity.ts";
import { ConfigError } from "../../../errors.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { Clock } from "../../../ports/clock.ts";
import { absent, type Item } from "../dynamo/expression.ts";
import type { Store } from "../dynamo/store.ts";
import {
  CLOCK,
  conversationKeyOf,
  INSTALLATION,
  PING,
  plainSeenKey,
  plainSentKey,
  refusedPartition,
  SWEEP,
} from "./keys.ts";

/** How long ids that 0.1.0 remembered are still looked up. */
const PLAIN_MS = 7 * 24 * 3_600_000;

interface Loaded {
  readonly secret: string;
  /** Until then, what 0.1.0 remembered is looked up, too. */
  readonly plainUntilAtMs: number;
}

/**
 * The secret that makes ids and dedupe keys of this installation its own: without it, a reader of a log or of
 * a copied table could try all phone numbers in seconds. Made once, by the first process, and stored beside
 * the conversations: a reader of that table can read everything anyway.
 */
export class Installation {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #newId: () => string;
  #loaded: Loaded | undefined;
  #loading: Promise<void> | undefined;

  constructor(store: Store, clock: Clock, newId: () => string) {
    this.#store = store;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** Called before anything else. It is read once; after a failure the next caller tries again. */
  async load(): Promise<void> {
    if (this.#loaded) return;
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  conversationId(key: ConversationKey, previousId?: string): string {
    return conversationId(this.#known.secret, key, previousId);
  }

  secretFor(purpose: string): string {
    return secretFor(this.#known.secret, purpose);
  }

  /** Hashed, so that remembering an id keeps nothing of the person: it stays when the person is erased. */
  seenKey(messageId: string): string {
    return `in/${this.#hash(messageId)}`;
  }

  /** Where it is noted that a message was refused and that the refusal is recorded. */
  refusedKey(messageId: string): string {
    return `refused/${this.#hash(messageId)}`;
  }

  /** Where refusals of a person without a conversation are stored. */
  refusedPartition(name: string): string {
    return refusedPartition(this.#hash(name));
  }

  sentKey(channel: string, providerId: string): string {
    return `out/${this.#hash(`${channel}/${providerId}`)}`;
  }

  /** Where 0.1.0 may have remembered a message; empty once that has expired. */
  seenKeysOfOldVersion(messageId: string): readonly string[] {
    return this.#isPlainTime() ? [plainSeenKey(messageId)] : [];
  }

  sentKeysOfOldVersion(channel: string, providerId: string): readonly string[] {
    return this.#isPlainTime() ? [plainSentKey(channel, providerId)] : [];
  }

  /** The tables are from before there was an installation's key. */
  get isUpgraded(): boolean {
    return this.#known.plainUntilAtMs > 0;
  }

  #isPlainTime(): boolean {
    return this.#clock.nowMs() < this.#known.plainUntilAtMs;
  }

  get #known(): Loaded {
    if (!this.#loaded) throw new Error("the installation's key is not loaded");
    return this.#loaded;
  }

  #hash(text: string): string {
    return createHmac("sha256", this.#known.secret).update(text).digest("base64url");
  }

  async #read(): Promise<void> {
    const standing = await this.#store.get("state", conversationKeyOf(INSTALLATION));
    this.#loaded = loadedFrom(standing ?? (await this.#make()));
  }

  /**
   * Of two processes at once the first wins, and the other takes the item that is there, even if that is its
   * own and only the answer got lost.
   */
  async #make(): Promise<Item> {
    const notes = await this.#store.getMany("state", [PING, SWEEP, CLOCK].map(conversationKeyOf));
    const item = {
      ...conversationKeyOf(INSTALLATION),
      installation_key: `${this.#newId()}${this.#newId()}${this.#newId()}`,
      plain_until_ms: notes.length > 0 ? this.#clock.nowMs() + PLAIN_MS : 0,
    };
    const written = await this.#store.put("state", item, absent("conversation_id"));
    return written.kind === "refused" && written.item ? written.item : item;
  }
}

function loadedFrom({ installation_key: secret, plain_until_ms: until }: Item): Loaded {
  if (typeof secret !== "string" || secret === "")
    throw new ConfigError(`the item ${INSTALLATION} in conversations-state is not ours: delete it`);
  return { secret, plainUntilAtMs: typeof until === "number" ? until : 0 };
}
