import type { KeptKind, KeptOf, KeptRecord, PersonAt } from "../model/kept.ts";
import type { Listing, Page } from "./inspector.ts";

export interface PersonSearch {
  /** As they may be written: each is looked for as it is. */
  readonly names: readonly string[];
  /** Also where only a look at every conversation finds them, where an engine has no index for it. */
  readonly isThorough?: boolean;
  /** What the look before gave as `next`. */
  readonly cursor?: string;
}

export interface KeptPage extends Page {
  readonly kind: KeptKind;
}

/** What is kept of people, by their own addresses: for those who ask what it is, or to be erased. */
export interface People {
  /**
   * One bounded look for the places of the people who have one of these names. What has an index by name
   * comes first; what has none (messages that wait without a conversation, dead letters) is looked through
   * page by page. A page may be empty and still have a next one. A place may be told of twice.
   */
  find(search: PersonSearch): Promise<Listing<PersonAt>>;
  /** A page of one kind of what is kept. */
  kept(of: KeptOf, page: KeptPage): Promise<Listing<KeptRecord>>;
  /**
   * Removes all that `kept` lists, but hashes of message ids for the dedupe time. In bounded steps; each may
   * be repeated. A turn that was running cannot write it back. `erasing`: as of a conversation.
   */
  erase(of: KeptOf): Promise<"erased" | "erasing" | "not-found">;
}
