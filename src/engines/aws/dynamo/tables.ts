/** An attribute that is part of a key. */
export interface KeyPart {
  readonly name: string;
  readonly type: "S" | "N";
}

export interface IndexDefinition {
  readonly name: string;
  readonly partitionKey: KeyPart;
  readonly sortKey?: KeyPart;
  /** Carried besides the keys. What changes with every turn stays out: it would be written twice. */
  readonly carries?: readonly string[];
}

export interface TableDefinition {
  /** Its default name. */
  readonly name: string;
  /** The environment variable that sets another name. */
  readonly env: string;
  readonly partitionKey: KeyPart;
  readonly sortKey?: KeyPart;
  /** Garbage collection only: no condition relies on it. */
  readonly timeToLive?: string;
  readonly indexes?: readonly IndexDefinition[];
}

export type TableName = "conversations" | "stage" | "triggerLock" | "state" | "messages" | "seen";

const text = (name: string): KeyPart => ({ name, type: "S" });
const number = (name: string): KeyPart => ({ name, type: "N" });

export const BY_ACTIVITY = "active-by-primary-channel";
export const BY_ID = "by-conversation-id";
export const LISTED = "listed";
export const LEASED = "leased";

/** Every table and index in one place, for `createTables` and for deployments. */
export const TABLES: Readonly<Record<TableName, TableDefinition>> = {
  /** Shared with the system that opens conversations: rows are changed by attribute, never replaced. */
  conversations: {
    name: "conversations",
    env: "LULL_TABLE_CONVERSATIONS",
    partitionKey: text("primary_channel"),
    sortKey: text("conversation_id"),
    indexes: [
      {
        name: BY_ACTIVITY,
        partitionKey: text("primary_channel"),
        sortKey: number("task_complete"),
        carries: [
          "project_status",
          "allowed_channels",
          "channel_type",
          "address",
          "sender_alias",
          "reply_window",
          "channel_config",
          "created_at",
        ],
      },
      { name: BY_ID, partitionKey: text("conversation_id") },
      { name: LISTED, partitionKey: text("listing"), sortKey: text("listed_at") },
    ],
  },
  /** What waits for its turn. No expiry: nothing staged may ever go by itself. */
  stage: {
    name: "conversations-stage",
    env: "LULL_TABLE_STAGE",
    partitionKey: text("conversation_id"),
    sortKey: text("message_sid"),
  },
  /** One row per window: a wake-up is on its way. */
  triggerLock: {
    name: "conversations-trigger-lock",
    env: "LULL_TABLE_TRIGGER_LOCK",
    partitionKey: text("conversation_id"),
    timeToLive: "expires_at",
  },
  /** Lease, draft, attempts. The index holds conversations with a lease and no others. */
  state: {
    name: "conversations-state",
    env: "LULL_TABLE_STATE",
    partitionKey: text("conversation_id"),
    indexes: [
      {
        name: LEASED,
        partitionKey: text("lease_shard"),
        sortKey: number("lease_taken_at_ms"),
        carries: ["lease_holder"],
      },
    ],
  },
  /** What is kept of a conversation, appended: messages, turns, refusals, dead letters, unknown sends. */
  messages: {
    name: "conversations-messages",
    env: "LULL_TABLE_MESSAGES",
    partitionKey: text("conversation_id"),
    sortKey: text("item_id"),
    timeToLive: "expires_at",
    indexes: [{ name: LISTED, partitionKey: text("listing"), sortKey: text("listed_at") }],
  },
  /** Provider ids: inbound ones with their fate or their claim, outbound ones that were sent. */
  seen: {
    name: "conversations-seen",
    env: "LULL_TABLE_SEEN",
    partitionKey: text("id"),
    timeToLive: "expires_at",
  },
};

export type TableNames = Readonly<Record<TableName, string>>;

/** A table of another system: its real name, and its keys as they were found. */
export type ForeignTable = Pick<TableDefinition, "name" | "partitionKey" | "sortKey">;

/** One of ours, or another system's. */
export type AnyTable = TableName | ForeignTable;

/** The definition, where only keys matter. */
export function keyedAs(table: AnyTable): Pick<TableDefinition, "partitionKey" | "sortKey"> {
  return typeof table === "string" ? TABLES[table] : table;
}

export function realName(names: TableNames, table: AnyTable): string {
  return typeof table === "string" ? names[table] : table.name;
}

/** The attributes that are its key. */
export function keyNames(table: AnyTable): string[] {
  const { partitionKey, sortKey } = keyedAs(table);
  return sortKey ? [partitionKey.name, sortKey.name] : [partitionKey.name];
}
