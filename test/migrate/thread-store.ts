import { DatabaseSync } from "node:sqlite";

/** A row of the buffer, as the seed's program writes it. */
export interface BufferRow {
  readonly waId: string;
  readonly text: string;
  readonly at: string;
  readonly type?: string;
  readonly caption?: string;
}

export interface ThreadRow {
  readonly waId: string;
  readonly threadId: string;
  readonly conversationId?: string;
  readonly responseId?: string;
}

/** Seed 004's `thread_store.db`: the lock as its document spells it, the others as its program made them. */
export function threadStore(
  file: string,
  rows: { readonly threads?: readonly ThreadRow[]; readonly buffer?: readonly BufferRow[] },
): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE threads (wa_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, last_updated TIMESTAMP,
      created_at TIMESTAMP, history_imported BOOLEAN DEFAULT 0 NOT NULL, conversation_id TEXT DEFAULT NULL,
      last_response_id TEXT DEFAULT NULL);
    CREATE TABLE message_buffer (wa_id TEXT NOT NULL, message_type TEXT NOT NULL, content TEXT NOT NULL,
      caption TEXT, reply_context_id TEXT, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE processing_lock (wa_id TEXT PRIMARY KEY, locked_at DATETIME, worker_pid INTEGER);
    BEGIN`);
  const thread = database.prepare(
    `INSERT INTO threads (wa_id, thread_id, last_updated, created_at, conversation_id, last_response_id)
     VALUES (?, ?, '2026-01-01 09:00:00', '2026-01-01 08:00:00', ?, ?)`,
  );
  for (const { waId, threadId, conversationId, responseId } of rows.threads ?? [])
    thread.run(waId, threadId, conversationId ?? null, responseId ?? null);
  const buffered = database.prepare(
    "INSERT INTO message_buffer (wa_id, message_type, content, caption, timestamp) VALUES (?, ?, ?, ?, ?)",
  );
  for (const { waId, text, at, type = "text", caption } of rows.buffer ?? [])
    buffered.run(waId, type, text, caption ?? null, at);
  database.exec("COMMIT");
  return database;
}
