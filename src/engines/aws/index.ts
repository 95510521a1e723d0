import type { Engine, EngineContext, EngineProvider } from "../../ports/engine.ts";
import { commit } from "./commit.ts";
import { answer, change, create, pauseAll, say } from "./conversing.ts";
import { draft, hasNewer, mark, renew } from "./draft.ts";
import { takeDue } from "./due.ts";
import { erase } from "./erase.ts";
import { conversationOf } from "./finding.ts";
import { giveBack } from "./give-back.ts";
import { history } from "./history.ts";
import { inspector } from "./inspector.ts";
import { conversationKeyOf, PING } from "./keys.ts";
import { type AwsOptions, dynamoDbClient, placeFrom, sqsClient } from "./options.ts";
import { remedies } from "./remedies.ts";
import { settle } from "./settle.ts";
import { type Site, siteFor } from "./site.ts";
import { stage } from "./stage.ts";
import { Store } from "./store.ts";
import { freeLeases, sweep } from "./sweep.ts";
import { take } from "./take.ts";
import { Triggers } from "./triggers.ts";

export { createQueues, createTables, type QueueOptions } from "./create.ts";
export type { AwsOptions } from "./options.ts";
export { AWS_DEFAULTS } from "./site.ts";
export { TABLES, type TableDefinition } from "./tables.ts";

/** DynamoDB and SQS: any number of machines, or none. The same promises as on one machine, kept by conditions instead of transactions. */
export function aws(options: AwsOptions = {}): EngineProvider {
  return {
    name: "aws",
    async open(context) {
      const place = placeFrom(options);
      const dynamodb = options.clients?.dynamodb ?? dynamoDbClient(options);
      const sqs = options.clients?.sqs ?? sqsClient(options);
      const { clock, log } = context;
      const { queues, waitSeconds, retrying } = place;
      const triggers = new Triggers({ client: sqs, queues, waitSeconds, retrying, clock, log });
      const store = new Store(dynamodb, place.tables, retrying, clock);
      return engineOn(siteFor(context, { store, triggers, forget: place.forget }), async () => {
        await triggers.close();
        if (!options.clients?.dynamodb) dynamodb.destroy();
        if (!options.clients?.sqs) sqs.destroy();
      });
    },
  };
}

function engineOn(site: Site, close: () => Promise<void>): Engine {
  return {
    receiving: {
      stage: (requests) => stage(site, requests),
      settle: (channel, status) => settle(site, channel, status),
    },
    turns: {
      takeDue: (max, signal) => takeDue(site, max, signal),
      take: async (id) => (await take(site, id)).at(-1)!,
      renew: (lease) => renew(site, lease),
      hasNewer: (lease) => hasNewer(site, lease),
      draft: (lease, written) => draft(site, lease, written),
      mark: (lease, written, options) => mark(site, lease, written, options),
      commit: (lease, what) => commit(site, lease, what),
      giveBack: (lease, how) => giveBack(site, lease, how),
    },
    sweeping: {
      sweep: () => sweep(site),
      freeLeases: (workerId) => freeLeases(site, workerId),
    },
    conversations: {
      create: (conversation) => create(site, conversation),
      get: (id) => conversationOf(site, id),
      change: (id, given) => change(site, id, given),
      erase: (id) => erase(site, id),
      history: (id, messagesMax) => history(site, id, messagesMax),
      say: (outbound) => say(site, outbound),
      answer: (late) => answer(site, late),
      pauseAll: (paused) => pauseAll(site, paused),
    },
    remedies: remedies(site),
    inspector: inspector(site),
    /** A real write, and a look at every queue: what is missing or forbidden shows here before a webhook finds out. */
    async ping() {
      await site.store.put("state", { ...conversationKeyOf(PING), at_ms: site.clock.nowMs() });
      await site.triggers.check();
    },
    close,
  };
}

/** The engine's inside, for tests that reach behind it. */
export function siteOf(options: AwsOptions, context: EngineContext): Site {
  const place = placeFrom(options);
  const { clock, log } = context;
  const dynamodb = options.clients?.dynamodb ?? dynamoDbClient(options);
  const client = options.clients?.sqs ?? sqsClient(options);
  const { queues, waitSeconds, retrying } = place;
  const triggers = new Triggers({ client, queues, waitSeconds, retrying, clock, log });
  const store = new Store(dynamodb, place.tables, retrying, clock);
  return siteFor(context, { store, triggers, forget: place.forget });
}
