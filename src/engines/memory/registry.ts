import type { Conversation, ConversationKey } from "../../model/conversation.ts";

/** Conversations by id and by every name of their person: searching all for each message would not scale. */
export class Registry {
  readonly #byId = new Map<string, Conversation>();
  readonly #numbers = new Map<string, number>();
  readonly #idsByName = new Map<string, Set<string>>();
  #count = 0;

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Conversation | undefined {
    return this.#byId.get(id);
  }

  put(conversation: Conversation): void {
    const { id } = conversation;
    const before = this.#byId.get(id);
    if (before) for (const key of nameKeys(before)) this.#idsByName.get(key)?.delete(id);
    this.#byId.set(id, conversation);
    if (!this.#numbers.has(id)) this.#numbers.set(id, ++this.#count);
    for (const key of nameKeys(conversation)) {
      this.#idsByName.set(key, (this.#idsByName.get(key) ?? new Set()).add(id));
    }
  }

  /** False when there is none. */
  delete(id: string): boolean {
    const conversation = this.#byId.get(id);
    if (!conversation) return false;
    for (const key of nameKeys(conversation)) this.#idsByName.get(key)?.delete(id);
    this.#numbers.delete(id);
    return this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
    this.#numbers.clear();
    this.#idsByName.clear();
  }

  newestFirst(): Conversation[] {
    return [...this.#byId.values()].reverse();
  }

  /** Those of a person under any of these names, newest first. */
  named(key: ConversationKey, names: readonly string[]): Conversation[] {
    const ids = new Set(names.flatMap((name) => [...(this.#idsByName.get(nameKey(key, name)) ?? [])]));
    return [...ids]
      .sort((a, b) => this.#numbers.get(b)! - this.#numbers.get(a)!)
      .flatMap((id) => this.#byId.get(id) ?? []);
  }
}

function nameKeys(conversation: Conversation): string[] {
  const { sender, senderAlias } = conversation;
  return [sender, senderAlias].flatMap((name) => (name === undefined ? [] : [nameKey(conversation, name)]));
}

export function nameKey({ channelType, address }: ConversationKey, name: string): string {
  return JSON.stringify([channelType, address, name]);
}
