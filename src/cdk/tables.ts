import {
  type Attribute,
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { RemovalPolicy } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { type AnyTable, LULL_TABLES, type LullProps, type LullTable } from "./lull-props.ts";

export type LullTables = Readonly<Record<LullTable, AnyTable>>;

interface Shape {
  /** The variable that tells the functions its name. */
  readonly variable: string;
  readonly keys: Pick<TableProps, "partitionKey" | "sortKey">;
  readonly timeToLive?: string;
  readonly indexes?: readonly GlobalSecondaryIndexProps[];
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });
const number = (name: string): Attribute => ({ name, type: AttributeType.NUMBER });

const LISTED: GlobalSecondaryIndexProps = {
  indexName: "listed",
  partitionKey: text("listing"),
  sortKey: text("listed_at"),
  projectionType: ProjectionType.KEYS_ONLY,
};

/**
 * As the engine has them (`TABLES` in `lull/aws`). Repeated here, because deploying imports nothing that
 * runs; a test compares the two.
 */
export const SHAPES: Readonly<Record<LullTable, Shape>> = {
  conversations: {
    variable: "LULL_TABLE_CONVERSATIONS",
    keys: { partitionKey: text("primary_channel"), sortKey: text("conversation_id") },
    indexes: [
      {
        indexName: "active-by-primary-channel",
        partitionKey: text("primary_channel"),
        sortKey: number("task_complete"),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [
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
      {
        indexName: "by-conversation-id",
        partitionKey: text("conversation_id"),
        projectionType: ProjectionType.KEYS_ONLY,
      },
      LISTED,
    ],
  },
  stage: {
    variable: "LULL_TABLE_STAGE",
    keys: { partitionKey: text("conversation_id"), sortKey: text("message_sid") },
  },
  triggerLock: {
    variable: "LULL_TABLE_TRIGGER_LOCK",
    keys: { partitionKey: text("conversation_id") },
    timeToLive: "expires_at",
  },
  state: {
    variable: "LULL_TABLE_STATE",
    keys: { partitionKey: text("conversation_id") },
    indexes: [
      {
        indexName: "leased",
        partitionKey: text("lease_shard"),
        sortKey: number("lease_taken_at_ms"),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ["lease_holder"],
      },
    ],
  },
  messages: {
    variable: "LULL_TABLE_MESSAGES",
    keys: { partitionKey: text("conversation_id"), sortKey: text("item_id") },
    timeToLive: "expires_at",
    indexes: [LISTED],
  },
  seen: {
    variable: "LULL_TABLE_SEEN",
    keys: { partitionKey: text("id") },
    timeToLive: "expires_at",
  },
};

/** The tables that exist already, and the others made here. */
export function createTables(scope: Construct, props: LullProps): LullTables {
  const made = LULL_TABLES.map((name) => [name, props.tables?.[name] ?? createTable(scope, name, props)]);
  return Object.fromEntries(made) as LullTables;
}

function createTable(scope: Construct, name: LullTable, props: LullProps): Table {
  const { keys, timeToLive, indexes = [] } = SHAPES[name];
  const { encryptionKey, removalPolicy = RemovalPolicy.RETAIN } = props;
  const warmed = props.warmThroughput?.[name];
  const warm = warmed ? { warmThroughput: warmed } : {};
  const table = new Table(scope, `${name[0]?.toUpperCase()}${name.slice(1)}Table`, {
    ...keys,
    ...(timeToLive !== undefined && { timeToLiveAttribute: timeToLive }),
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...warm,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    ...(encryptionKey
      ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }
      : { encryption: TableEncryption.AWS_MANAGED }),
    removalPolicy,
    deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
  });
  // A cold index holds up its table's writes as a cold table would.
  for (const index of indexes) table.addGlobalSecondaryIndex({ ...index, ...warm });
  return table;
}

export function tableVariables(tables: LullTables): Record<string, string> {
  return Object.fromEntries(
    LULL_TABLES.map((name) => [SHAPES[name].variable, tables[name].tableName] as const),
  );
}
