import { randomUUID } from "node:crypto";
import {
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  paginateScan,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { settingsWith } from "../../src/core/defaults.ts";
import { isoOf } from "../../src/core/instant.ts";
import type { Item } from "../../src/engines/aws/dynamo/expression.ts";
import { TABLES } from "../../src/engines/aws/dynamo/tables.ts";
import { openContext } from "../../src/engines/aws/engine.ts";
import { type AwsOptions, aws, createQueues, createTables } from "../../src/engines/aws/index.ts";
import { rowKey } from "../../src/engines/aws/items/conversation-item.ts";
import { senderOf } from "../../src/engines/aws/items/conversation-row.ts";
import { sweepLeases } from "../../src/engines/aws/steps/sweep.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { TakeOutcome } from "../../src/model/take.ts";
import type { Engine, EngineContext } from "../../src/ports/engine.ts";
import type { EngineFixture } from "../../src/testing/engine-contract/index.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import type { Clients, Emulators } from "../../tools/aws-local/emulators.ts";
import { HeldTriggers } from "./held-triggers.ts";
import { type AwsProxy, type ProxyOptions, startProxy } from "./proxy.ts";
import { isPast } from "./simulated/memory-fixture.ts";
import { spoil } from "./spoil.ts";

/** Looks without a turn before a world counts as going round in circles. */
const ROUNDS_MAX = 500;

/** Failed looks in a row before a world counts as down. */
const LOOKS_MAX = 20;

/** Time is moved by hand, also while requests are running: their deadlines must not see it pass. */
export const UNHURRIED = {
  requestMsMax: Number.POSITIVE_INFINITY,
  callMsMax: Number.POSITIVE_INFINITY,
  pollMarginMsMax: Number.POSITIVE_INFINITY,
};

export interface AwsFixture extends EngineFixture {
  readonly options: AwsOptions;
  readonly held: HeldTriggers;
  /** Not through any proxy. */
  readonly dynamodb: DynamoDBClient;
  /** A worker whose requests go through a proxy of its own: its faults hit no other worker. */
  openBehind(proxy: ProxyOptions, options?: Opening): Promise<Engine>;
  /** Clients behind one more proxy like all the others, with room for middleware. */
  clients(): Promise<Clients>;
  openWith(clients: Clients, holder?: string, more?: Partial<AwsOptions>): Promise<Engine>;
  context(holder: string): EngineContext;
  /** What the workers told, in order. */
  readonly logged: readonly Logged[];
}

export interface Logged {
  readonly level: string;
  readonly event: string;
  readonly fields: LogFields;
}

export interface Opening {
  readonly holder?: string;
  /** How often the SDK itself tries. */
  readonly tries?: number;
  readonly more?: Partial<AwsOptions>;
}

/** Tables and a queue of their own on running emulators, with time moved by hand. */
export async function awsFixture(
  emulators: Emulators,
  given: Partial<GivenSettings> = {},
  /** What every worker's requests meet. */
  proxied: ProxyOptions = {},
): Promise<AwsFixture> {
  const tablePrefix = `${randomUUID().slice(0, 8)}-`;
  const direct: Clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
  const held = new HeldTriggers(direct.sqs);
  const proxies: AwsProxy[] = [];
  const made: Clients[] = [direct];
  const clientsBehind = async (options: ProxyOptions, tries?: number): Promise<Clients> => {
    const proxy = await startProxy(emulators.endpoint, { held, ...options });
    proxies.push(proxy);
    const own = emulators.clientsAt(proxy.url, tries === undefined ? {} : { tries });
    made.push(own);
    return own;
  };
  const clients = await clientsBehind(proxied);
  const { dynamodb } = direct;
  await createTables({ tablePrefix, clients: direct });
  const queues = await createQueues({ prefix: tablePrefix, clients: direct });
  const options: AwsOptions = {
    tablePrefix,
    queues,
    waitSeconds: 0,
    forget: "sweep",
    retrying: { baseMs: 0, ...UNHURRIED },
    clients,
  };
  const clock = fakeClock();
  // The engine accepts no smaller clock skew on AWS, and cases have to know it.
  const settings = settingsWith({ clockSkewMs: 2_000, ...given });
  const opened: Engine[] = [];
  const logged: Logged[] = [];
  const context = (holder: string): EngineContext => ({
    clock,
    settings,
    holder,
    log: (level, event, fields = {}) => void logged.push({ level, event, fields }),
    onArmed: () => {},
  });
  const openWith = async (
    own: Clients,
    holder = `worker-${opened.length + 1}`,
    others: Partial<AwsOptions> = {},
  ) => {
    const engine = await aws({ ...options, ...others, clients: own }).open(context(holder));
    opened.push(engine);
    return engine;
  };
  const harness = openContext(options, context("harness")).context;
  const woken = (engine: Engine, max = 100) => drain(engine, max, () => held.releaseDue(clock.nowMs()));
  return {
    clock,
    settings,
    options,
    held,
    dynamodb,
    context,
    logged,
    openWith,
    clients: () => clientsBehind(proxied),
    openBehind: async (proxy, opening = {}) =>
      openWith(await clientsBehind(proxy, opening.tries), opening.holder, opening.more),
    open: (holder) => openWith(clients, holder),
    async openWatched(holder, beforeRequest) {
      const onRequest = () =>
        beforeRequest().then(
          () => "pass" as const,
          () => "die-before" as const,
        );
      return openWith(await clientsBehind({ onRequest }), holder);
    },
    async takeDue(engine, max) {
      // Half of a sweep: a lapsed lease has no trigger of its own, and the sweeper sends one on its schedule.
      await sweepLeases(harness);
      return woken(engine, max);
    },
    woken,
    loseTriggers: async (conversationId) => held.drop(conversationId),
    async collectExpired() {
      for (const { name } of Object.values(TABLES))
        await removePast(dynamodb, `${tablePrefix}${name}`, clock.nowMs());
    },
    setClockBack(ms) {
      clock.setBack(ms);
      held.setBack(ms);
    },
    async strand(conversationId) {
      const Key = { conversation_id: { S: conversationId } };
      for (const table of ["conversations-trigger-lock", "conversations-state"]) {
        await dynamodb.send(new DeleteItemCommand({ TableName: `${tablePrefix}${table}`, Key }));
      }
      held.drop(conversationId);
    },
    async says(conversationId, status, updatedAtMs) {
      const sender = await senderOf(harness, conversationId);
      const set = {
        conversation_status: status,
        ...(updatedAtMs !== undefined && { updated_at: isoOf(updatedAtMs) }),
      };
      await harness.store.update("conversations", rowKey(sender!, conversationId), { set });
    },
    async keeps() {
      const names = Object.values(TABLES).map(({ name }) => `${tablePrefix}${name}`);
      const tables = await Promise.all(names.map((name) => everyItem(dynamodb, name)));
      return JSON.stringify([tables, held.bodies()]);
    },
    spoil: (conversationId, what, how) => spoil(dynamodb, tablePrefix, conversationId, what, how),
    async close() {
      for (const engine of opened) await engine.close();
      for (const each of made) {
        each.dynamodb.destroy();
        each.sqs.destroy();
      }
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

/** What the TTL that is set on the table removes. The emulator has no clock of ours. */
async function removePast(dynamodb: DynamoDBClient, TableName: string, nowMs: number): Promise<void> {
  const { TimeToLiveDescription } = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName }));
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  const names = Table!.KeySchema!.map(({ AttributeName }) => AttributeName!);
  for (const item of await everyItem(dynamodb, TableName)) {
    if (!isPast(item, TimeToLiveDescription?.AttributeName, nowMs)) continue;
    const key = Object.fromEntries(names.map((name) => [name, item[name]]));
    await dynamodb.send(new DeleteItemCommand({ TableName, Key: marshall(key) }));
  }
}

async function everyItem(dynamodb: DynamoDBClient, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items } of paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true }))
    items.push(...(Items ?? []).map((item) => unmarshall(item)));
  return items;
}

/** Looks until the queue is empty or `max` turns are taken. */
async function drain(engine: Engine, max: number, release: () => Promise<void>): Promise<TakeOutcome[]> {
  const all: TakeOutcome[] = [];
  let turns = 0;
  for (let rounds = 0; turns < max; rounds += 1) {
    if (rounds - turns > ROUNDS_MAX) throw new Error("triggers go round in circles");
    await release();
    const outcomes = await look(engine, max - turns);
    if (outcomes.length === 0) break;
    all.push(...outcomes);
    turns += outcomes.filter(({ kind }) => kind === "turn").length;
  }
  return all;
}

/** As the worker's loop does: a look that fails for now is made again. */
export async function look(engine: Engine, max: number): Promise<readonly TakeOutcome[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await engine.turns.takeDue(max, new AbortController().signal)).outcomes;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || tries >= LOOKS_MAX) throw error;
    }
  }
}
