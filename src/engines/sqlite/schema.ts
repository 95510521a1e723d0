import type { DatabaseSync } from "node:sqlite";
import { rememberWhatIsThere } from "./remember-all.ts";

/** SQL or, where SQL alone cannot do it, what runs on the open database. */
export type Migration = string | ((database: DatabaseSync) => void);

/**
 * Numbered migrations: the position in this list is the version. Never change what a released one does; add
 * the next.
 * Records are JSON beside the few columns that are searched: they change shape more often than tables should.
 */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    channel_type TEXT NOT NULL,
    address TEXT NOT NULL,
    sender TEXT NOT NULL,
    sender_alias TEXT,
    task_complete INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX conversations_by_sender ON conversations (channel_type, address, sender);
  CREATE INDEX conversations_by_alias ON conversations (channel_type, address, sender_alias)
    WHERE sender_alias IS NOT NULL;

  -- Waiting for their turn. No expiry: a message leaves by a commit or as a dead letter.
  CREATE TABLE staged (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    item TEXT NOT NULL
  );
  CREATE INDEX staged_by_conversation ON staged (conversation_id, sequence);
  CREATE INDEX staged_outbounds ON staged (conversation_id) WHERE kind = 'outbound';

  -- Window, lease, draft and attempts of every conversation that is not at rest. The row is the trigger.
  CREATE TABLE states (
    conversation_id TEXT PRIMARY KEY,
    wake_at_ms INTEGER,
    holder TEXT,
    turn_id TEXT,
    state TEXT NOT NULL
  );
  CREATE INDEX states_by_wake ON states (wake_at_ms) WHERE wake_at_ms IS NOT NULL;
  CREATE INDEX states_by_holder ON states (holder) WHERE holder IS NOT NULL;
  CREATE INDEX states_by_turn ON states (turn_id) WHERE turn_id IS NOT NULL;

  -- The dedupe memory holds salted hashes: it stays when a person is erased.
  CREATE TABLE remembered (
    key BLOB PRIMARY KEY,
    fate TEXT NOT NULL,
    until_at_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX remembered_by_until ON remembered (until_at_ms);

  CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX messages_by_conversation ON messages (conversation_id, number);

  CREATE TABLE turns (
    number INTEGER PRIMARY KEY,
    turn_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    committed_at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX turns_by_conversation ON turns (conversation_id, number);

  CREATE TABLE deliveries (
    channel TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    turn_id TEXT,
    status TEXT NOT NULL,
    error_code TEXT,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (channel, provider_id)
  ) WITHOUT ROWID;
  CREATE INDEX deliveries_by_turn ON deliveries (turn_id) WHERE turn_id IS NOT NULL;

  CREATE TABLE dead_letters (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX dead_letters_by_conversation ON dead_letters (conversation_id);

  CREATE TABLE unknown_sends (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX unknown_sends_by_conversation ON unknown_sends (conversation_id);

  CREATE TABLE refusals (
    number INTEGER PRIMARY KEY,
    conversation_id TEXT,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX refusals_by_conversation ON refusals (conversation_id, number)
    WHERE conversation_id IS NOT NULL;
  `,
  `
  -- Foreign rows: moved here whole, so that they stop no conversation and are shown. No expiry.
  CREATE TABLE quarantine (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    key TEXT NOT NULL,
    conversation_id TEXT,
    why TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    raw TEXT NOT NULL
  );
  CREATE INDEX quarantine_by_conversation ON quarantine (conversation_id) WHERE conversation_id IS NOT NULL;
  `,
  // How much waits in a conversation is asked with every message, and answered from the index alone.
  `
  DROP INDEX staged_by_conversation;
  CREATE INDEX staged_by_conversation ON staged (conversation_id, sequence, bytes);
  `,
  // A delivery is removed once no callback can ask about it any more, whether or not its turn was committed.
  `
  CREATE INDEX deliveries_by_time ON deliveries (at_ms);
  `,
  // By time, not by number: rows of a fast clock stand before all that came after them. Times grow, so an
  // entry goes to the end of the index.
  `
  CREATE INDEX messages_by_time ON messages (at_ms);
  CREATE INDEX turns_by_time ON turns (committed_at_ms);
  CREATE INDEX refusals_by_time ON refusals (at_ms);
  `,
  // What a turn takes is found without reading what it does not take. One index holds all that decides the
  // order: an index for each order would be one more page to write for every message.
  `
  ALTER TABLE staged ADD COLUMN arrived_at_ms INTEGER;
  ALTER TABLE staged ADD COLUMN sent_at_ms INTEGER;
  ALTER TABLE staged ADD COLUMN position INTEGER;
  UPDATE staged SET
    arrived_at_ms = json_extract(item, '$.arrivedAtMs'), sent_at_ms = json_extract(item, '$.sentAtMs'),
    position = coalesce(json_extract(item, '$.position'), 0) WHERE json_valid(item);
  DROP INDEX staged_by_conversation;
  CREATE INDEX staged_by_conversation
    ON staged (conversation_id, sequence, bytes, kind, arrived_at_ms, sent_at_ms, position);
  `,
  // Which ids a number came with, and vice versa: the owner must not depend on a conversation's name.
  `
  CREATE TABLE names (
    number INTEGER PRIMARY KEY,
    channel_type TEXT NOT NULL,
    address TEXT NOT NULL,
    name TEXT NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (channel_type, address, name)
  );
  `,
  // That it was sent is all that is asked of a delivery.
  `
  ALTER TABLE deliveries DROP COLUMN status;
  ALTER TABLE deliveries DROP COLUMN error_code;
  `,
  // A page is written for each tree that a row is in: a message is in two, one turn and what was said in it
  // are one row. What was staged or sent is remembered as a hash, without an index by time.
  (database) => {
    database.exec(`
      DROP INDEX remembered_by_until;
      ALTER TABLE remembered DROP COLUMN fate;
    `);
    rememberWhatIsThere(database);
    database.exec(`
      CREATE TABLE piles (
        conversation_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        -- Since the pile was last empty, and since when that is: how much waits is known without counting.
        pile_bytes INTEGER,
        pile_since_ms INTEGER,
        arrived_at_ms INTEGER,
        sent_at_ms INTEGER,
        position INTEGER,
        item TEXT NOT NULL,
        PRIMARY KEY (conversation_id, sequence)
      ) WITHOUT ROWID;
      INSERT INTO piles SELECT conversation_id, sequence, id, kind, bytes, NULL, NULL,
        arrived_at_ms, sent_at_ms, position, item FROM staged;
      DROP TABLE staged;
      ALTER TABLE piles RENAME TO staged;
      CREATE INDEX staged_outbounds ON staged (conversation_id) WHERE kind = 'outbound';

      DROP TABLE deliveries;
      ALTER TABLE turns ADD COLUMN messages TEXT;

      DROP INDEX states_by_wake;
      DROP INDEX states_by_holder;
      DROP INDEX states_by_turn;
      CREATE INDEX states_by_wake ON states (wake_at_ms, holder);
      -- Ids of turns name their conversation; those of 0.1.0 and of early builds of 0.2.0 did not.
      CREATE INDEX states_by_turn ON states (turn_id) WHERE instr(turn_id, '.') = 0;
    `);
  },
];
