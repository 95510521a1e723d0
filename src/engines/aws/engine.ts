import { takeResult } from "../../core/dead-letters.ts";
import type { CheckResult } from "../../ports/check-result.ts";
import type { Conversations } from "../../ports/conversations.ts";
import type { Engine, EngineContext, Receiving, Sweeping, TurnTaking } from "../../ports/engine.ts";
import { checks } from "./checks.ts";
import { type AwsContext, contextFor } from "./context.ts";
import { DynamoStore } from "./dynamo/dynamo-store.ts";
import { conversationKeyOf, PING } from "./items/keys.ts";
import { type AwsOptions, dynamoDbClient, placeFrom, sqsClient } from "./options.ts";
import { redrive } from "./queue/redrive.ts";
import { QueueTriggers } from "./queue/triggers.ts";
import { commit } from "./steps/commit.ts";
import { answer, change, create, pauseAll, say } from "./steps/conversations.ts";
import { erase } from "./steps/erase.ts";
import { conversationOf } from "./steps/find-conversation.ts";
import { history } from "./steps/history.ts";
import { importConversation } from "./steps/import-conversation.ts";
import { inspector } from "./steps/inspect.ts";
import { stage } from "./steps/receive.ts";
import { recordDeliveryStatus } from "./steps/record-delivery.ts";
import { release } from "./steps/release.ts";
import { repairs } from "./steps/repairs.ts";
import { freeLeases, sweep } from "./steps/sweep.ts";
import { take } from "./steps/take.ts";
import { takeDue } from "./steps/take-due.ts";
import { draft, hasNewer, mark, renew } from "./steps/turn.ts";

export interface OpenContext {
  readonly site: AwsContext;
  readonly checks: () => Promise<readonly CheckResult[]>;
  readonly redrive: NonNullable<Engine["redrive"]>;
  readonly close: () => Promise<void>;
}

/** The clients, the tables and the queues of one engine, and how they are closed. */
export function openContext(options: AwsOptions, context: EngineContext): OpenContext {
  const { tables, queues, waitSeconds, retrying, forget, leaseShards } = placeFrom(options);
  const { clock, log } = context;
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
    site: contextFor(context, { store, triggers, forget, leaseShards }),
    checks: () => checks({ dynamodb, sqs, tables, queues, clock, retrying }),
    redrive: () => redrive({ client: sqs, queues, retrying, clock }),
    close,
  };
}

/** Every step needs the installation's secret: it is loaded before the first one. */
function afterLoading<T extends object>(site: AwsContext, port: T): T {
  const steps = Object.entries(port) as [string, (...given: unknown[]) => Promise<unknown>][];
  const loading = steps.map(([name, step]) => [
    name,
    async (...given: unknown[]) => {
      await site.installation.load();
      return step(...given);
    },
  ]);
  return Object.fromEntries(loading) as T;
}

/** The engine's ports over one AWS context. */
export function engineOn(site: AwsContext, close: () => Promise<void>): Engine {
  return {
    receiving: afterLoading<Receiving>(site, {
      stage: (requests) => stage(site, requests),
      recordDelivery: (channel, status) => recordDeliveryStatus(site, channel, status),
    }),
    turns: afterLoading<TurnTaking>(site, {
      takeDue: (max, signal) => takeDue(site, max, signal),
      take: async (id) => takeResult(await take(site, id)),
      renew: (lease) => renew(site, lease),
      hasNewer: (lease) => hasNewer(site, lease),
      draft: (lease, written) => draft(site, lease, written),
      mark: (lease, written) => mark(site, lease, written),
      commit: (lease, what) => commit(site, lease, what),
      release: (lease, how) => release(site, lease, how),
    }),
    sweeping: afterLoading<Sweeping>(site, {
      sweep: () => sweep(site),
      freeLeases: (workerId) => freeLeases(site, workerId),
    }),
    conversations: afterLoading<Conversations>(site, {
      create: (conversation) => create(site, conversation),
      get: (id) => conversationOf(site, id),
      change: (id, given) => change(site, id, given),
      erase: (id) => erase(site, id),
      history: (id, messagesMax, bytesMax) => history(site, id, messagesMax, bytesMax),
      say: (outbound) => say(site, outbound),
      answer: (late) => answer(site, late),
      pauseAll: (paused) => pauseAll(site, paused),
    }),
    repairs: afterLoading(site, repairs(site)),
    inspector: afterLoading(site, inspector(site)),
    ...afterLoading<Required<Pick<Engine, "importConversation" | "ping">>>(site, {
      importConversation: (kept) => importConversation(site, kept),
      /** A write, and a look at every queue: it finds what is missing or forbidden before a webhook does. */
      async ping() {
        await Promise.all([
          site.store.put("state", { ...conversationKeyOf(PING), at_ms: site.clock.nowMs() }),
          site.triggers.check(),
        ]);
      },
    }),
    /** Behind a gateway any caller may ask this: a read, and a look at every queue. */
    async probe() {
      await Promise.all([site.store.get("state", conversationKeyOf(PING)), site.triggers.check()]);
    },
    close,
  };
}
