import type { DynamoDBClient, TableDescription } from "@aws-sdk/client-dynamodb";
import { isBusy } from "../../core/rules.ts";
import { ConfigError, LullError } from "../../errors.ts";
import type { EngineContext } from "../../ports/engine.ts";
import type {
  SeedItem,
  SeedRows,
  SeedSource,
  SeedTableName,
  SeedTableNames,
  SeedTables,
} from "../../ports/seed-tables.ts";
import { failure } from "../../wire/aws-failure.ts";
import type { AwsContext } from "./context.ts";
import { isAsRead, keyIn } from "./dynamo/exact.ts";
import { absent, all, equal, type Item } from "./dynamo/expression.ts";
import { described, lacking, type TablesAt } from "./dynamo/lacking.ts";
import { pages } from "./dynamo/pages.ts";
import type { AnyTable, ForeignTable, KeyPart, TableName, TableNames } from "./dynamo/tables.ts";
import { openContext } from "./engine.ts";
import { changeOf, rowKey, senderIn } from "./items/conversation-item.ts";
import { rowOf } from "./items/conversation-row.ts";
import { stagedFrom } from "./items/stage-item.ts";
import { readState } from "./items/state.ts";
import { isNewer } from "./items/version.ts";
import { windowFrom } from "./items/window-item.ts";
import { type AwsOptions, dynamoDbClient, tableNames } from "./options.ts";
import { moveIn } from "./steps/move-in.ts";

/** The tables that are there. */
export type FoundTables = Readonly<Partial<Record<SeedTableName, AnyTable>>>;

/**
 * Opens them beside the engine's own. The names in the seed documents are the default. No queue is needed to
 * look at them.
 */
export async function openSeedTables(
  options: AwsOptions,
  given: Partial<SeedTableNames>,
  engine: EngineContext,
): Promise<SeedTables> {
  const client = options.clients?.dynamodb ?? dynamoDbClient(options);
  const opened = openContext({ ...options, clients: { ...options.clients, dynamodb: client } }, engine);
  const { clock } = engine;
  const at: TablesAt = { client, region: await regionOf(client), names: tableNames(options), clock };
  const { tables, sources } = await findTables(at, given);
  return {
    ...seedTablesOn(opened.context, tables),
    sources,
    region: at.region,
    lacks: async () => (await lacking(at)).map(({ make: _, ...each }) => each),
    async make(onMaking) {
      // One at a time: DynamoDB makes one index of a table after the other.
      for (const { make, ...each } of await lacking(at)) {
        if (make) onMaking(each);
        await make?.();
      }
    },
    async close() {
      await opened.close();
      if (!options.clients?.dynamodb) client.destroy();
    },
  };
}

async function regionOf({ config }: DynamoDBClient): Promise<string> {
  return config.region().catch((error) => {
    throw failure(error, "DynamoDB");
  });
}

async function findTables({ client, names }: TablesAt, given: Partial<SeedTableNames>): Promise<Found> {
  const wanted: Readonly<Record<SeedTableName, string>> = {
    conversations: names.conversations,
    stage: names.stage,
    triggerLock: names.triggerLock,
    holding: "Holding",
    batchState: "ConversationBatchState",
    ...given,
  };
  // All at once: a failure of one that is not waited for yet would end the process.
  const found = await Promise.all(
    (Object.keys(wanted) as SeedTableName[]).map(async (table) => {
      const name = wanted[table];
      const description = await described(client, name);
      const isOurs = table in names && name === names[table as keyof TableNames];
      const place = description && (isOurs ? (table as TableName) : foreignTable(name, description));
      return { table, name, place };
    }),
  );
  return {
    tables: Object.fromEntries(found.map(({ table, place }) => [table, place])),
    sources: found.map(({ table, name, place }) => ({ table, name, isThere: place !== undefined })),
  };
}

interface Found {
  readonly tables: FoundTables;
  readonly sources: readonly SeedSource[];
}

function foreignTable(
  name: string,
  { KeySchema = [], AttributeDefinitions = [] }: TableDescription,
): ForeignTable {
  const part = (type: "HASH" | "RANGE"): KeyPart | undefined => {
    const key = KeySchema.find(({ KeyType }) => KeyType === type)?.AttributeName;
    const is = AttributeDefinitions.find(({ AttributeName }) => AttributeName === key)?.AttributeType;
    return key === undefined ? undefined : { name: key, type: is === "N" ? "N" : "S" };
  };
  const [partitionKey, sortKey] = [part("HASH"), part("RANGE")];
  if (partitionKey?.name !== "conversation_id")
    throw new ConfigError(`table ${name} is not keyed by conversation_id: it is no table of the seeds`);
  return { name, partitionKey, ...(sortKey && { sortKey }) };
}

/** What is done with the tables once they are found. */
export function seedTablesOn(context: AwsContext, tables: FoundTables): SeedRows {
  const ready = async () => {
    await context.installation.load();
    return context;
  };
  return {
    rows: (table) => foreignRows(context, table, tables[table]),
    conversation: async (id, primaryChannel) =>
      tables.conversations && (await findRow(context, id, primaryChannel)),
    async move(conversation, messages) {
      const placed = messages.map(({ table, ...message }) => ({ ...message, table: tables[table]! }));
      return moveIn(await ready(), conversation, placed);
    },
    async removeLock(table, item) {
      const place = tables[table]!;
      const isSame = all(absent("window_id"), isAsRead(item, "expires_at"));
      return (await context.store.delete(place, keyIn(place, item), isSame)).kind === "done";
    },
    putToRest: async (conversation) => putToRest(await ready(), conversation),
  };
}

/** In tables that are also ours, what is not ours. */
async function* foreignRows(
  { store }: AwsContext,
  name: SeedTableName,
  table: AnyTable | undefined,
): AsyncGenerator<readonly SeedItem[]> {
  if (table === undefined) return;
  const isTheirs = (item: Item) =>
    (table !== "stage" || (!isNewer("stage", item) && stagedFrom(item).kind === "foreign")) &&
    (table !== "triggerLock" || (!isNewer("triggerLock", item) && windowFrom(item).kind === "foreign"));
  const reading = name === "conversations" ? { attributes: LOOKED_AT } : {};
  for await (const items of pages((from) => store.scanPage(table, { ...reading, from })))
    yield items.filter(isTheirs);
}

/** A row may hold hundreds of kilobytes of messages, which stay where they are. */
const LOOKED_AT = [
  "primary_channel",
  "conversation_id",
  "conversation_status",
  "openai_thread_id",
  "updated_at",
];

/** The seeds write addresses with and without the channel's prefix. */
async function findRow(
  context: AwsContext,
  id: string,
  primaryChannel: string | undefined,
): Promise<SeedItem | "no-index" | undefined> {
  const bare = primaryChannel?.replace(/^[a-z]+:/, "");
  const forms = bare === undefined ? [] : [primaryChannel!, bare, `whatsapp:${bare}`];
  for (const form of new Set(forms)) {
    const row = form === "" ? undefined : await context.store.get("conversations", rowKey(form, id));
    if (row) return row;
  }
  return rowOf(context, id).catch(unlessImpossible);
}

/** Before the indexes are made, a row can only be found by its key. */
function unlessImpossible(error: unknown): "no-index" {
  if (error instanceof LullError && error.retry === "never") return "no-index";
  throw error;
}

async function putToRest(context: AwsContext, row: SeedItem): Promise<"rested" | "changed" | "busy"> {
  const id = String(row.conversation_id);
  const nowMs = context.clock.nowMs();
  const { state } = await readState(context, id);
  if (isBusy(state, nowMs, context.settings.clockSkewMs) || state.draft || state.works.length > 0)
    return "busy";
  const set = changeOf({ status: "processing_error" }, nowMs);
  const isStuck = all(equal("conversation_status", "processing_reply"), isAsRead(row, "updated_at"));
  const key = rowKey(senderIn(row) ?? "", id);
  const { kind } = await context.store.update("conversations", key, { set }, isStuck);
  return kind === "done" ? "rested" : "changed";
}
