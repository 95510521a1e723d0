/** The names of a person, in a message or a conversation. */
export interface Named {
  readonly sender: string;
  readonly senderAlias?: string | undefined;
}

export interface NamedConversation extends Named {
  readonly id: string;
}

/** In `cameWith`, in place of an erased person: it stays known that there was one. As it is stored. */
export const ERASED = "";

/** In `whose`, for a conversation whose owner cannot be told. As it is stored. */
export const OWNERLESS = "";

/** What is kept of a name: which names of the other kind it came with. */
export interface NameRecord {
  /** The latest one last; `ERASED` where that person is erased. */
  readonly cameWith: readonly string[];
  /** Owners of the conversations that bear this name, by id; `OWNERLESS` if the owner is unknown. */
  readonly whose?: Readonly<Record<string, string>>;
  /**
   * The conversations, made or still to be made, of the stranger who has the number since its owner left it.
   * They become `OWNERLESS` in `whose` when the next person comes with it.
   */
  readonly strangers?: readonly string[];
}

/** By name. A name without a record is absent. */
export type NameRecords = ReadonlyMap<string, NameRecord>;

/** What a message changes in the record of one name. It is applied to the record as it is by then. */
export interface NameChange {
  /** It came with this name. */
  readonly came?: string;
  /** What it had come with before, if there is no record. */
  readonly before?: readonly string[];
  readonly whose?: Readonly<Record<string, string>>;
  /** A conversation of the stranger who has the number now, if no person has come with it after `after`. */
  readonly stranger?: { readonly id: string; readonly after: string | undefined };
  /** This person has come with another number. */
  readonly left?: string;
}
