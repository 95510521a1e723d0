import assert from "node:assert/strict";
import { type DynamoDBClient, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { BY_ID } from "../../src/engines/aws/tables.ts";
import type { SpoiltHow, SpoiltWhat } from "../../src/testing/engine-contract/index.ts";

type Row = Readonly<Record<string, unknown>>;

const PLACES: Readonly<
  Record<SpoiltWhat, { readonly table: string; readonly keys: string[]; readonly foreign: Row }>
> = {
  state: {
    table: "conversations-state",
    keys: ["conversation_id"],
    foreign: { works: "none", not_before_at_ms: "soon", draft: null, turn_count: null, rev: 7 },
  },
  staged: {
    table: "conversations-stage",
    keys: ["conversation_id", "message_sid"],
    foreign: { body: 7, received_at: "soon" },
  },
  conversation: {
    table: "conversations",
    keys: ["primary_channel", "conversation_id"],
    foreign: { conversation_status: 7, reply_window: "long", sender_alias: null, attributes: "none" },
  },
};

/** What no attribute of ours is. */
const UNREADABLE = new Uint8Array([0, 255, 0]);

/** Puts another's row in place of one of ours: of a conversation's staged rows, the oldest. */
export async function spoil(
  dynamodb: DynamoDBClient,
  prefix: string,
  conversationId: string,
  what: SpoiltWhat,
  how: SpoiltHow,
): Promise<void> {
  const { table, keys, foreign } = PLACES[what];
  const TableName = `${prefix}${table}`;
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
