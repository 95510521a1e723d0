import { randomUUID } from "node:crypto";
import { DeleteItemCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { settingsWith } from "../../src/core/defaults.ts";
import type { Settings } from "../../src/core/settings.ts";
import { openSite } from "../../src/engines/aws/engine.ts";
import { type AwsOptions, aws, createQueues, createTables } from "../../src/engines/aws/index.ts";
import { sweepLeases } from "../../src/engines/aws/sweep.ts";
import type { Engine, EngineContext, TakeOutcome } from "../../src/ports/engine.ts";
import type { World } from "../../src/testing/engine-contract/index.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import type { Emulators } from "./emulators.ts";
import { HeldTriggers } from "./held-triggers.ts";

/** Looks without a turn before a world is taken to go round in circles. */
const ROUNDS_MAX = 500;

export interface AwsWorld extends World {
  readonly options: AwsOptions;
  readonly held: HeldTriggers;
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  /** A worker whose requests go through clients of its own: for middleware that is not everybody's. */
  openWith(clients: NonNullable<AwsOptions["clients"]>, workerId?: string): Promise<Engine>;
  context(workerId: string): EngineContext;
}

/** Tables and a queue of their own on running emulators, with time moved by hand. */
export async function awsWorld(
  emulators: Emulators,
  given: Partial<Settings> = {},
  more: Partial<AwsOptions> = {},
): Promise<AwsWorld> {
  const tablePrefix = `${randomUUID().slice(0, 8)}-`;
  const dynamodb = emulators.dynamodb();
  const sqs = emulators.sqs();
  const clients = { dynamodb, sqs };
  await createTables({ tablePrefix, clients });
  const queues = await createQueues({ prefix: tablePrefix, clients });
  const held = new HeldTriggers();
  held.hold(sqs);
  const options: AwsOptions = {
    tablePrefix,
    queues,
    waitSeconds: 0,
    forget: "sweep",
    retrying: { baseMs: 0 },
    clients,
    ...more,
  };
  const clock = fakeClock();
  // The engine takes nothing less on AWS: cases have to know.
  const settings = settingsWith({ clockSkewMs: 2_000, ...given });
  const opened: Engine[] = [];
  const context = (workerId: string): EngineContext => ({
    clock,
    settings,
    workerId,
    log: () => {},
    onArmed: () => {},
  });
  const openWith = async (
    own: NonNullable<AwsOptions["clients"]>,
    workerId = `worker-${opened.length + 1}`,
  ) => {
    const engine = await aws({ ...options, clients: { ...clients, ...own } }).open(context(workerId));
    opened.push(engine);
    return engine;
  };
  const { site } = openSite(options, context("harness"));
  return {
    clock,
    settings,
    options,
    held,
    dynamodb,
    sqs,
    context,
    openWith,
    open: (workerId) => openWith({}, workerId),
    async takeDue(engine, max = 100) {
      // Half of a sweep: a lapsed lease has no trigger of its own, and the sweeper sends one on its schedule.
      await sweepLeases(site);
      return drain(engine, max, () => held.releaseDue(clock.nowMs()));
    },
    async strand(conversationId) {
      const Key = { conversation_id: { S: conversationId } };
      for (const table of ["conversations-trigger-lock", "conversations-state"]) {
        await dynamodb.send(new DeleteItemCommand({ TableName: `${tablePrefix}${table}`, Key }));
      }
      held.drop(conversationId);
    },
    async close() {
      for (const engine of opened) await engine.close();
      dynamodb.destroy();
      sqs.destroy();
    },
  };
}

/** Looks until the queue is empty or `max` turns are taken. */
async function drain(engine: Engine, max: number, release: () => Promise<void>): Promise<TakeOutcome[]> {
  const all: TakeOutcome[] = [];
  let turns = 0;
  for (let rounds = 0; turns < max; rounds += 1) {
    if (rounds - turns > ROUNDS_MAX) throw new Error("triggers go round in circles");
    await release();
    const { outcomes } = await engine.turns.takeDue(max - turns, new AbortController().signal);
    if (outcomes.length === 0) break;
    all.push(...outcomes);
    turns += outcomes.filter(({ kind }) => kind === "turn").length;
  }
  return all;
}
