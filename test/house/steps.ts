/** What every engine with steps of its own has, by the name of its file. */
export const STEPS = [
  ...["receive", "window", "take", "turn", "commit", "release", "sweep", "free-leases", "ping"],
  ...["conversations", "repairs", "inspect"],
];

/** Steps that only one engine has, and why it needs them. All others are in every engine. */
export const STEPS_OF_ONE: Readonly<Record<string, string>> = {
  "engines/aws/steps/conversation-view.ts":
    "what a look reads in several requests, and hands on from one to the next",
  "engines/aws/steps/import-conversation.ts":
    "only this engine takes in what another has kept: `lull import` goes from a file to AWS",
  "engines/aws/steps/kept.ts":
    "how each kind is read out of partitions; a store of tables has a table for each kind",
  "engines/aws/steps/lease.ts": "LEASE is a write of its own, whose answer may get lost",
  "engines/aws/steps/left-behind.ts":
    "reading a pile again for each of its turns would cost a request a page",
  "engines/aws/steps/listing.ts": "a list is spread over partitions of an index that has keys only",
  "engines/aws/steps/mirror.ts": "only here is there a row in which other systems look for messages",
  "engines/aws/steps/with-row.ts": "the conversation's row has another owner, and may take no write",
  "engines/aws/steps/move-in.ts":
    "only these tables bear the names of another system's, which left its messages there",
  "engines/aws/steps/row-update.ts": "the conversation's row has another owner, and may have no room",
  "engines/aws/steps/sent-before.ts": "three queries; a store of tables asks its history",
  "engines/aws/steps/status.ts":
    "other systems read in the conversation's row whether a turn runs, and may take its word for a lock",
  "engines/aws/steps/undo-take.ts":
    "between LEASE and BATCH a request may fail; a transaction is rolled back",
};
