import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { StoreUnavailable } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Lacking } from "../../../ports/seed-tables.ts";
import { failure, isMissing } from "../../../wire/aws-failure.ts";
import { addIndexInput, createInput, createTable } from "./create-tables.ts";
import { problems } from "./table-problems.ts";
import { TABLES, type TableName, type TableNames } from "./tables.ts";

/** How long an index may take to fill. DynamoDB makes one at a time, at about a gigabyte in five minutes. */
const INDEX_MS_MAX = 3_600_000;
const LOOK_EVERY_MS = 1_000;

/** Something that is not there, and how it is made. */
interface Making extends Lacking {
  readonly make?: () => Promise<void>;
}

/** Where tables are, and where they are looked for. */
export interface TablesAt {
  readonly client: DynamoDBClient;
  readonly names: TableNames;
  readonly clock: Clock;
}

/** What Lull needs of its tables and is not there: the same that `doctor` says, with what to do about it. */
export async function lacking(at: TablesAt): Promise<readonly Making[]> {
  const tables = Object.keys(TABLES) as TableName[];
  return (await Promise.all(tables.map((table) => lackingIn(at, table)))).flat();
}

/** The table's description; none if there is no such table. */
export async function described(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: name }));
    return Table;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw failure(error, `table ${name}`);
  }
}

async function lackingIn(at: TablesAt, table: TableName): Promise<Making[]> {
  const { client, names } = at;
  const [name, wanted] = [names[table], TABLES[table]];
  const found = await described(client, name);
  if (!found) {
    const command = inShell("create-table", createInput(name, wanted));
    return [{ table: name, what: "is missing", command, make: () => createTable(client, name, wanted) }];
  }
  const expiring = table === "stage" ? await expiryOf(client, name) : [];
  return [...problems(found, wanted).map((what) => problemAt(at, table, what)), ...expiring];
}

function problemAt({ client, names, clock }: TablesAt, table: TableName, what: string): Making {
  const [name, wanted] = [names[table], TABLES[table]];
  const index = wanted.indexes?.find((each) => what === `lacks the index ${each.name}`);
  if (!index) return { table: name, what };
  const input = addIndexInput(name, wanted, index);
  const make = async () => {
    await client.send(new UpdateTableCommand(input));
    await untilActive({ client, names, clock }, name, index.name);
  };
  return { table: name, what, command: inShell("update-table", input), make };
}

async function untilActive({ client, clock }: TablesAt, name: string, index: string): Promise<void> {
  const byAtMs = clock.nowMs() + INDEX_MS_MAX;
  for (;;) {
    const indexes = (await described(client, name))?.GlobalSecondaryIndexes ?? [];
    const status = indexes.find(({ IndexName }) => IndexName === index)?.IndexStatus;
    if (status === "ACTIVE") return;
    if (clock.nowMs() > byAtMs)
      throw new StoreUnavailable(`index ${index} of ${name} is still ${status ?? "not there"}`);
    await clock.sleep(LOOK_EVERY_MS);
  }
}

/** The original system let its staged messages expire after a minute. */
async function expiryOf(client: DynamoDBClient, TableName: string): Promise<Making[]> {
  const { TimeToLiveDescription: is } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (is?.TimeToLiveStatus !== "ENABLED") return [];
  const { AttributeName = "expires_at" } = is;
  const input = { TableName, TimeToLiveSpecification: { Enabled: false, AttributeName } };
  return [
    {
      table: TableName,
      what: "expires its rows (TTL): messages would go before they are answered",
      command: inShell("update-time-to-live", input),
      make: async () => void (await client.send(new UpdateTimeToLiveCommand(input))),
    },
  ];
}

function inShell(action: string, input: object): string {
  return `aws dynamodb ${action} --cli-input-json '${JSON.stringify(input)}'`;
}
