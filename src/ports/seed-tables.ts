import type { Arrival } from "../model/message.ts";

/** The tables of the original system that are looked at. */
export type SeedTableName = "stage" | "holding" | "triggerLock" | "batchState" | "conversations";

/** Names of its tables, where they are not those of the seed documents. Conversations are in ours. */
export type SeedTableNames = Readonly<Record<Exclude<SeedTableName, "conversations">, string>>;

/** A row as it stands there: its attributes, whatever they are. */
export type SeedItem = Readonly<Record<string, unknown>>;

/** Something that Lull needs in AWS and that is not there. */
export interface Lacking {
  readonly table: string;
  readonly what: string;
  /** The environment variable that names the table, where it is not there at all. */
  readonly variable?: string;
  /** For a shell with the AWS CLI: it puts it right. Absent where a person has to decide. */
  readonly command?: string;
  /** What is said once it was put right; with a command only. */
  readonly done?: string;
  /** Lull works without it for now. */
  readonly canWait?: boolean;
}

/** A table that is read, and whether it is there. */
export interface SeedSource {
  readonly table: SeedTableName;
  readonly name: string;
  readonly isThere: boolean;
}

/** A message of the original system, as its channel would have brought it. */
export interface MovedMessage {
  readonly arrival: Arrival;
  readonly table: "stage" | "holding";
  /** The row that it was read from. It goes in the same step. */
  readonly item: SeedItem;
}

export type MoveOutcome =
  | "moved"
  /** It waits here already, or was answered: only the row there went. */
  | "duplicate"
  /** The row went meanwhile: the original system took it. */
  | "gone"
  /** Something else stands under its key by now. */
  | "changed"
  | "too-large"
  /** As many wait in its conversation as may. */
  | "full"
  /** Something else stands where it would be staged. */
  | "blocked";

/** What is done with the rows that another system left. */
export interface SeedRows {
  /** All rows that are not Lull's, page by page. None if there is no such table. */
  rows(table: SeedTableName): AsyncIterable<readonly SeedItem[]>;
  /** The conversation's row, under whichever form of its customer's address it stands. */
  conversation(id: string, primaryChannel: string | undefined): Promise<SeedItem | "no-index" | undefined>;
  /** Stages the messages of one conversation, and takes their rows away: each in one step, or not at all. */
  move(conversation: SeedItem, messages: readonly MovedMessage[]): Promise<readonly MoveOutcome[]>;
  /** Removes a lock that is as it was read. */
  removeLock(table: "triggerLock" | "batchState", item: SeedItem): Promise<boolean>;
  /** Ends a `processing_reply` that a dead process left; `busy` if a worker of ours has it. */
  putToRest(conversation: SeedItem): Promise<"rested" | "changed" | "busy">;
}

/** Tables that another system filled, beside ours in the same account and region. */
export interface SeedTables extends SeedRows {
  /** As they were when this was opened. */
  readonly sources: readonly SeedSource[];
  readonly region: string;
  lacks(): Promise<readonly Lacking[]>;
  /** Makes what can be made; it may take minutes. Tells each that it is about to make. */
  make(onMaking: (what: Lacking) => void): Promise<void>;
  close(): Promise<void>;
}
