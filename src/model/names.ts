/** By which names somebody is known: of a message, or of a conversation. */
export interface Named {
  readonly sender: string;
  readonly senderAlias?: string | undefined;
}

export interface NamedConversation extends Named {
  readonly id: string;
}

/** What is kept of a name: with which names of the other kind it came. */
export interface NameRecord {
  /** The latest one last. `""` is somebody who was erased. */
  readonly cameWith: readonly string[];
  /** Conversations that are named by it and have become somebody's: whose, or `""` where nobody can say. */
  readonly whose?: Readonly<Record<string, string>>;
}

/** By name. One of which nothing is kept is not in it. */
export type NameRecords = ReadonlyMap<string, NameRecord>;
