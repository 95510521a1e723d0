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
import {
  addIndexCommand,
  type CliPlace,
  createCommand,
  expiryCommand,
  untilReadyCommand,
} from "./cli-commands.ts";
import { addIndexInput, createInput, createTable, expiryInput } from "./create-tables.ts";
import { isBeingMade, problems } from "./table-problems.ts";
import { type IndexDefinition, TABLES, type TableName, type TableNames } from "./tables.ts";

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
  readonly region: string;
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
    const missing = { table: name, what: "is missing", variable: wanted.env };
    // The other system's conversations are in it: an empty one would only hide that its name is wrong.
    if (table === "conversations") return [missing];
    const expiry = wanted.timeToLive === undefined ? undefined : expiryInput(name, wanted.timeToLive, true);
    const command = createCommand(placeOf(at, name), createInput(name, wanted), expiry);
    const make = () => createTable(client, name, wanted);
    return [{ ...missing, command, done: `added: table ${name}`, make }];
  }
  // Those that are being made come first: no other can be asked for until they are ready.
  const wrong = problems(found, wanted).sort((a, b) => Number(isBeingMade(b)) - Number(isBeingMade(a)));
  return [...wrong.map((what) => problemAt(at, { table, what, found })), ...(await expiryOf(at, table))];
}

function placeOf({ region }: TablesAt, table: string): CliPlace {
  return { region, table };
}

interface Problem {
  readonly table: TableName;
  readonly what: string;
  readonly found: TableDescription;
}

function problemAt(at: TablesAt, { table, what, found }: Problem): Making {
  const [name, wanted] = [at.names[table], TABLES[table]];
  const named = (index: IndexDefinition) => what.includes(` index ${index.name}`);
  const index = wanted.indexes?.find(named);
  if (index && isBeingMade(what)) {
    const command = untilReadyCommand(placeOf(at, name), index.name);
    const done = `ready: index ${index.name} of ${name}`;
    return { table: name, what, command, done, make: () => untilActive(at, name, index.name) };
  }
  if (!index || what !== `lacks the index ${index.name}`) return { table: name, what };
  const input = addIndexInput(name, wanted, index, found);
  const make = async () => {
    await at.client.send(new UpdateTableCommand(input));
    await untilActive(at, name, index.name);
  };
  const command = addIndexCommand(placeOf(at, name), input, index.name);
  return { table: name, what, command, done: `added: index ${index.name} of ${name}`, make };
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

/**
 * The original system let its staged messages expire after a minute. In other tables of ours only what is
 * over expires: that can wait.
 */
async function expiryOf(at: TablesAt, table: TableName): Promise<Making[]> {
  const wanted = TABLES[table].timeToLive;
  const by = await expiresBy(at, at.names[table]);
  if (by === wanted || (by !== undefined && table !== "stage" && wanted === undefined)) return [];
  if (by === undefined)
    return [{ ...expiryChange(at, table, true, wanted!), what: "never removes what is over (TTL)" }];
  const change = expiryChange(at, table, false, by);
  if (wanted !== undefined)
    return [{ ...change, what: `expires its rows by ${by}, not by ${wanted}${AGAIN}` }];
  const what = "expires its rows (TTL): messages would go before they are answered";
  return [{ ...change, what, canWait: false }];
}

const AGAIN = ": switch that off, and run this again after an hour, as DynamoDB asks for between two changes";

async function expiresBy({ client }: TablesAt, TableName: string): Promise<string | undefined> {
  const { TimeToLiveDescription: is } = await client
    .send(new DescribeTimeToLiveCommand({ TableName }))
    .catch((error) => {
      throw failure(error, `table ${TableName}`);
    });
  const isOn = is?.TimeToLiveStatus === "ENABLED" || is?.TimeToLiveStatus === "ENABLING";
  return isOn ? is.AttributeName : undefined;
}

function expiryChange(at: TablesAt, table: TableName, isOn: boolean, attribute: string) {
  const name = at.names[table];
  const input = expiryInput(name, attribute, isOn);
  return {
    table: name,
    canWait: true,
    command: expiryCommand(placeOf(at, name), input),
    done: `switched ${isOn ? "on" : "off"}: expiry of ${name}`,
    make: async () => void (await at.client.send(new UpdateTimeToLiveCommand(input))),
  };
}
