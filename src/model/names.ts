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
  /** Conversations that began with nothing but the number after its holder had left it: a stranger's. */
  readonly strangers?: readonly string[];
}

/** By name. One of which nothing is kept is not in it. */
export type NameRecords = ReadonlyMap<string, NameRecord>;

/** What a message changes in what is kept of one name. Carried out on what stands there by then. */
export interface NameChange {
  /** It came with this name. */
  readonly came?: string;
  /** What it had come with before, where there is no record. */
  readonly before?: readonly string[];
  readonly whose?: Readonly<Record<string, string>>;
  readonly stranger?: string;
}
