import { takeResult } from "../../core/dead-letters.ts";
import type { CheckResult } from "../../ports/check-result.ts";
import type { Conversations } from "../../ports/conversations.ts";
import type { Engine, EngineContext, Receiving, Sweeping, TurnTaking } from "../../ports/engine.ts";
import { checks } from "./checks.ts";
import { type AwsContext, contextFor } from "./context.ts";
import { DynamoStore } from "./dynamo/dynamo-store.ts";
import { conversationKeyOf, PING } from "./items/keys.ts";
import { type AwsOptions, dynamoDbClient, resourcesFrom, sqsClient } from "./options.ts";
import { redrive } from "./queue/redrive.ts";
import { QueueTriggers } from "./queue/triggers.ts";
import { commit } from "./steps/commit.ts";
import { answer, change, create, pauseAll, say } from "./steps/conversations.ts";
import { erase } from "./steps/erase.ts";
import { conversationOf } from "./steps/find-conversation.ts";
import { history } from "./steps/history.ts";
import { importConversation } from "./steps/import-conversation.ts";
import { inspector } from "./steps/inspect.ts";
import { knownSince } from "./steps/memory.ts";
import { stage } from "./steps/receive.ts";
import { recordDelivery } from "./steps/record-delivery.ts";
import { release } from "./steps/release.ts";
import { repairs } from "./steps/repairs.ts";
import { freeLeases, sweep } from "./steps/sweep.ts";
import { take } from "./steps/take.ts";
import { takeDue } from "./steps/take-due.ts";
import { draft, hasNewer, mark, renew } from "./steps/turn.ts";

export interface OpenContext {
  readonly context: AwsContext;
  readonly checks: () => Promise<readonly CheckResult[]>;
  readonly redrive: NonNullable<Engine["redrive"]>;
  readonly close: () => Promise<void>;
}

/** The clients, the tables and the queues of one engine, and how they are closed. */
export function openContext(options: AwsOptions, given: EngineContext): OpenContext {
  const { tables, queues, waitSeconds, retrying, forget, leaseShards } = resourcesFrom(options);
  const { clock, log } = given;
  const dynamodb = options.clients?.dynamodb ?? dynamoDbClient(options);
  const sqs = options.clients?.sqs ?? sqsClient(options);
  const triggers = new QueueTriggers({ client: sqs, queues, waitSeconds, retrying, clock, log });
  const store = new DynamoStore(dynamodb, tables, retrying, clock);
  const close = async () => {
    await triggers.close();
    if (!options.clients?.dynamodb) dynamodb.destroy();
    if (!options.clients?.sqs) sqs.destroy();
  };
  return {
    context: contextFor(given, { store, triggers, forget, leaseShards }),
    checks: () => checks({ dynamodb, sqs, tables, queues, clock, retrying }),
    redrive: () => redrive({ client: sqs, queues, retrying, clock }),
    close,
  };
}

/** Every step needs the installation's secret: it is loaded before the first one. */
function afterLoading<T extends object>(context: AwsContext, port: T): T {
  const steps = Object.entries(port) as [string, (...given: unknown[]) => Promise<unknown>][];
  const loading = steps.map(([name, step]) => [
    name,
    async (...given: unknown[]) => {
      await context.installation.load();
      return step(...given);
    },
  ]);
  return Object.fromEntries(loading) as T;
}

/** The engine's ports over one AWS context. */
export function engineOn(context: AwsContext, close: () => Promise<void>): Engine {
  return {
    receiving: afterLoading<Receiving>(context, {
      stage: (requests) => stage(context, requests),
      recordDelivery: (channel, status) => recordDelivery(context, channel, status),
      knownSinceMs: () => knownSince(context),
    }),
    turns: afterLoading<TurnTaking>(context, {
      takeDue: (max, signal) => takeDue(context, max, signal),
      take: async (id, told) => takeResult(await take(context, id, told)),
      renew: (lease) => renew(context, lease),
      hasNewer: (lease) => hasNewer(context, lease),
      draft: (lease, written) => draft(context, lease, written),
      mark: (lease, written) => mark(context, lease, written),
      commit: (lease, what) => commit(context, lease, what),
      release: (lease, how) => release(context, lease, how),
    }),
    sweeping: afterLoading<Sweeping>(context, {
      sweep: () => sweep(context),
      freeLeases: (workerId) => freeLeases(context, workerId),
    }),
    conversations: afterLoading<Conversations>(context, {
      create: (conversation) => create(context, conversation),
      get: (id) => conversationOf(context, id),
      change: (id, given) => change(context, id, given),
      erase: (id) => erase(context, id),
      history: (id, messagesMax, bytesMax) => history(context, id, messagesMax, bytesMax),
      say: (outbound) => say(context, outbound),
      answer: (late) => answer(context, late),
      pauseAll: (paused) => pauseAll(context, paused),
    }),
    repairs: afterLoading(context, repairs(context)),
    inspector: afterLoading(context, inspector(context)),
    ...afterLoading<Required<Pick<Engine, "importConversation" | "ping">>>(context, {
      importConversation: (kept) => importConversation(context, kept),
      /** A write, and a look at every queue: it finds what is missing or forbidden before a webhook does. */
      async ping() {
        await Promise.all([
          context.store.put("state", { ...conversationKeyOf(PING), at_ms: context.clock.nowMs() }),
          context.triggers.check(),
        ]);
      },
    }),
    /** Behind a gateway any caller may ask this: a read, and a look at every queue. */
    async probe() {
      await Promise.all([context.store.get("state", conversationKeyOf(PING)), context.triggers.check()]);
    },
    close,
  };
}
