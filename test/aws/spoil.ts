import assert from "node:assert/strict";
import { type DynamoDBClient, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { BY_ID, TABLES } from "../../src/engines/aws/dynamo/tables.ts";
import type { SpoiltHow, SpoiltWhat } from "../../src/testing/engine-contract/index.ts";
import { SPOILT } from "./spoilt.ts";

/** A type that no attribute of ours has. */
const UNREADABLE = new Uint8Array([0, 255, 0]);

/** Puts another's row in place of one of ours: of a conversation's staged rows, the oldest. */
export async function spoil(
  dynamodb: DynamoDBClient,
  prefix: string,
  conversationId: string,
  what: SpoiltWhat,
  how: SpoiltHow,
): Promise<void> {
  const { table, keys, foreign } = SPOILT[what];
  const TableName = `${prefix}${TABLES[table].name}`;
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName,
      ...(what === "conversation" && { IndexName: BY_ID }),
      KeyConditionExpression: "conversation_id = :id",
      ExpressionAttributeValues: marshall({ ":id": conversationId }),
    }),
  );
  const rows = Items.map((item) => unmarshall(item));
  const [oldest] = rows.sort((a, b) => a.sequence - b.sequence);
  assert.ok(oldest, `no ${what} of ${conversationId}`);
  const unreadable = Object.fromEntries(Object.keys(foreign).map((name) => [name, UNREADABLE]));
  const key = Object.fromEntries(keys.map((name) => [name, oldest[name]]));
  const Item = marshall({ ...key, ...(how === "foreign" ? foreign : unreadable) });
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
}
