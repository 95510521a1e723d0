import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { tableNames } from "../options.ts";
import { createInput } from "./create-tables.ts";
import { lacking } from "./lacking.ts";
import { TABLES } from "./tables.ts";

/** DynamoDB, as far as it describes tables: all as they should be, but for what is given. */
function describing(statusOf: (index: string) => string | undefined, expiry = "expires_at"): DynamoDBClient {
  const description = (TableName: string) => {
    const table = Object.values(TABLES).find(({ name }) => name === TableName)!;
    const { GlobalSecondaryIndexes: indexes = [], ...rest } = createInput(TableName, table);
    const made = indexes.flatMap((each) => {
      const IndexStatus = statusOf(each.IndexName);
      return IndexStatus === undefined ? [] : [{ ...each, IndexStatus }];
    });
    const TimeToLiveDescription =
      table.timeToLive === undefined ? {} : { TimeToLiveStatus: "ENABLED", AttributeName: expiry };
    return { Table: { ...rest, GlobalSecondaryIndexes: made }, TimeToLiveDescription };
  };
  const send = async ({ input }: { input: { TableName: string } }) => description(input.TableName);
  return { send } as unknown as DynamoDBClient;
}

const looked = async (client: DynamoDBClient) =>
  (await lacking({ client, region: "eu-west-1", names: tableNames({}, {}), clock: fakeClock() })).map(
    ({ make, ...each }) => each,
  );

it("an index that is being made is waited for, before the next is asked for", async () => {
  const status = { listed: "CREATING", "by-conversation-id": undefined };
  const lacks = await looked(describing((name) => (name in status ? status[name as "listed"] : "ACTIVE")));
  expect(lacks.map(({ table, what }) => [table, what])).toEqual([
    ["conversations", "has an index listed that is not ready: CREATING"],
    ["conversations", "lacks the index by-conversation-id"],
    ["conversations-messages", "has an index listed that is not ready: CREATING"],
  ]);
  expect(lacks[0]?.command).toMatch(/^until .*IndexName=='listed'.* = ACTIVE \]; do sleep 10; done$/);
});

it("an index that goes is nothing that can be added", async () => {
  const [first] = await looked(describing((name) => (name === "leased" ? "DELETING" : "ACTIVE")));
  expect(first).toEqual({
    table: "conversations-state",
    what: "has an index leased that is not ready: DELETING",
  });
});

it("an expiry by another attribute is switched off first, and keeps no message waiting", async () => {
  const lacks = await looked(describing(() => "ACTIVE", "ttl"));
  expect(lacks.map(({ table }) => table)).toEqual([
    "conversations-trigger-lock",
    "conversations-messages",
    "conversations-seen",
  ]);
  for (const { what, command, canWait } of lacks) {
    expect(what).toMatch(/^expires its rows by ttl, not by expires_at: .* an hour/);
    expect(command).toContain('"TimeToLiveSpecification":{"Enabled":false,"AttributeName":"ttl"}');
    expect(canWait).toBe(true);
  }
});
