import {
  type AttributeDefinition,
  CreateTableCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { type AwsOptions, dynamoDbClient, tableNames } from "../options.ts";
import {
  type IndexDefinition,
  type KeyPart,
  TABLES,
  type TableDefinition,
  type TableName,
} from "./tables.ts";

const CREATE_SECONDS_MAX = 120;

/** Creates the missing tables of `TABLES`. For emulators and first tries: a deployment has its own way. */
export async function createTables(options: AwsOptions = {}): Promise<void> {
  const client = options.clients?.dynamodb ?? dynamoDbClient(options);
  const names = tableNames(options);
  try {
    for (const [table, definition] of Object.entries(TABLES)) {
      await createTable(client, names[table as TableName], definition);
    }
  } finally {
    if (!options.clients?.dynamodb) client.destroy();
  }
}

export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  table: TableDefinition,
): Promise<void> {
  const { timeToLive } = table;
  const input = createInput(TableName, table);
  const isThere = await client.send(new CreateTableCommand(input)).then(() => false, alreadyThere);
  if (isThere) return;
  await waitUntilTableExists({ client, maxWaitTime: CREATE_SECONDS_MAX }, { TableName });
  if (timeToLive === undefined) return;
  await client.send(new UpdateTimeToLiveCommand(expiryInput(TableName, timeToLive, true)));
}

/** What `UpdateTimeToLive` is asked. */
export function expiryInput(TableName: string, AttributeName: string, Enabled: boolean) {
  return { TableName, TimeToLiveSpecification: { Enabled, AttributeName } };
}

/** What `CreateTable` is asked. */
export function createInput(TableName: string, table: TableDefinition) {
  const { partitionKey, sortKey, indexes = [] } = table;
  const GlobalSecondaryIndexes = indexes.map(indexInput);
  return {
    TableName,
    BillingMode: "PAY_PER_REQUEST" as const,
    AttributeDefinitions: attributeDefinitions([table, ...indexes].flatMap(keysOf)),
    KeySchema: keySchema(partitionKey, sortKey),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes }),
  };
}

/** What `UpdateTable` is asked, to add an index to a table as it was found. */
export function addIndexInput(
  TableName: string,
  table: TableDefinition,
  index: IndexDefinition,
  found: TableDescription,
) {
  return {
    TableName,
    AttributeDefinitions: attributeDefinitions([table, index].flatMap(keysOf)),
    GlobalSecondaryIndexUpdates: [{ Create: { ...indexInput(index), ...capacityOf(found) } }],
  };
}

/** Where capacity is bought an index has to have its own: as much as its table. On demand it has none. */
function capacityOf({ BillingModeSummary, ProvisionedThroughput = {} }: TableDescription) {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = ProvisionedThroughput;
  const isBought = BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST" && ReadCapacityUnits > 0;
  return isBought && { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } };
}

function indexInput(index: IndexDefinition) {
  return {
    IndexName: index.name,
    KeySchema: keySchema(index.partitionKey, index.sortKey),
    Projection: index.carries
      ? { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...index.carries] }
      : { ProjectionType: "KEYS_ONLY" as const },
  };
}

function keysOf({ partitionKey, sortKey }: Pick<TableDefinition, "partitionKey" | "sortKey">): KeyPart[] {
  return sortKey ? [partitionKey, sortKey] : [partitionKey];
}

function alreadyThere(error: Error): true {
  if (error.name === "ResourceInUseException") return true;
  throw error;
}

function keySchema(partition: KeyPart, sort: KeyPart | undefined) {
  return [
    { AttributeName: partition.name, KeyType: "HASH" as const },
    ...(sort ? [{ AttributeName: sort.name, KeyType: "RANGE" as const }] : []),
  ];
}

function attributeDefinitions(keys: readonly KeyPart[]): AttributeDefinition[] {
  const types = new Map(keys.map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}
