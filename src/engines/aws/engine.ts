import type { CheckResult } from "../../ports/check-result.ts";
import type { Engine, EngineContext } from "../../ports/engine.ts";
import { checks } from "./checks.ts";
import { type AwsContext, contextFor } from "./context.ts";
import { DynamoStore } from "./dynamo/dynamo-store.ts";
import { projectChanges } from "./items/controls.ts";
import { conversationOf } from "./items/conversation-row.ts";
import { type AwsOptions, dynamoDbClient, resourcesFrom, sqsClient } from "./options.ts";
import { redrive } from "./queue/redrive.ts";
import { QueueTriggers } from "./queue/triggers.ts";
import { commit } from "./steps/commit.ts";
import {
  answer,
  change,
  changeAttribute,
  changeProject,
  create,
  pauseAll,
  say,
} from "./steps/conversations.ts";
import { erase } from "./steps/erase.ts";
import { latestId } from "./steps/find-conversation.ts";
import { freeLeases } from "./steps/free-leases.ts";
import { history } from "./steps/history.ts";
import { importConversation } from "./steps/import-conversation.ts";
import {
  counts,
  gauges,
  listConversations,
  listDead,
  listRefusals,
  listUnknown,
  nameRecords,
  showConversation,
  showDead,
  showUnknown,
} from "./steps/inspect.ts";
import { listLocks } from "./steps/locks.ts";
import { knownSince } from "./steps/memory.ts";
import { eraseKept, findPerson, keptOf } from "./steps/people.ts";
import { ping, probe } from "./steps/ping.ts";
import { discardQuarantined, listQuarantined } from "./steps/quarantined.ts";
import { stage } from "./steps/receive.ts";
import { recordDelivery } from "./steps/record-delivery.ts";
import { release } from "./steps/release.ts";
import { discardDead, markUnknown, resendUnknown, retryDead } from "./steps/repairs.ts";
import { sweep } from "./steps/sweep.ts";
import { take } from "./steps/take.ts";
import { takeDue } from "./steps/take-due.ts";
import { draft, hasNewer, renew, writeChunks } from "./steps/turn.ts";

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

/** Every step needs the installation's secret: it gets its context once that is loaded. */
type Ready = () => Promise<AwsContext>;

/** The engine's ports over one AWS context. */
export function engineOn(context: AwsContext, close: () => Promise<void>): Engine {
  const ready = async () => {
    await context.installation.load();
    return context;
  };
  return {
    receiving: {
      stage: async (requests) => stage(await ready(), requests),
      recordDelivery: async (channel, status) => recordDelivery(await ready(), channel, status),
      knownSinceMs: async () => knownSince(await ready()),
    },
    turns: {
      takeDue: async (max, signal) => takeDue(await ready(), max, signal),
      take: async (id, source) => take(await ready(), id, source),
      renew: async (lease) => renew(await ready(), lease),
      hasNewer: async (lease) => hasNewer(await ready(), lease),
      draft: async (lease, written) => draft(await ready(), lease, written),
      writeChunks: async (lease, written) => writeChunks(await ready(), lease, written),
      commit: async (lease, what) => commit(await ready(), lease, what),
      release: async (lease, how) => release(await ready(), lease, how),
    },
    sweeping: {
      sweep: async () => sweep(await ready()),
      freeLeases: async (holder) => freeLeases(await ready(), holder),
    },
    conversations: conversationsOver(ready),
    repairs: {
      deadLetter: async (id) => showDead(await ready(), id),
      retryDead: async (id) => retryDead(await ready(), id),
      discardDead: async (id) => discardDead(await ready(), id),
      unknownSend: async (id) => showUnknown(await ready(), id),
      markUnknown: async (id) => markUnknown(await ready(), id),
      resendUnknown: async (id) => resendUnknown(await ready(), id),
      discardQuarantined: async (id, how) => discardQuarantined(await ready(), id, how),
    },
    inspector: inspectorOver(ready),
    people: {
      find: async (search) => findPerson(await ready(), search),
      kept: async (of, page) => keptOf(await ready(), of, page),
      erase: async (of) => eraseKept(await ready(), of),
    },
    secretFor: async (purpose) => (await ready()).installation.secretFor(purpose),
    importConversation: async (kept) => importConversation(await ready(), kept),
    ping: async () => ping(await ready()),
    probe: () => probe(context),
    close,
  };
}

function conversationsOver(ready: Ready): Engine["conversations"] {
  return {
    create: async (conversation) => create(await ready(), conversation),
    get: async (id) => conversationOf(await ready(), id),
    change: async (id, given) => change(await ready(), id, given),
    changeAttribute: async (id, given) => changeAttribute(await ready(), id, given),
    erase: async (id) => erase(await ready(), id),
    history: async (id, messagesMax, bytesMax) => history(await ready(), id, messagesMax, bytesMax),
    say: async (outbound) => say(await ready(), outbound),
    answer: async (late) => answer(await ready(), late),
    pauseAll: async (paused) => pauseAll(await ready(), paused),
    changeProject: async (project, given) => changeProject(await ready(), project, given),
  };
}

function inspectorOver(ready: Ready): Engine["inspector"] {
  return {
    conversations: async (filter) => listConversations(await ready(), filter),
    conversation: async (id, limits) => showConversation(await ready(), id, limits),
    latestId: async (key) => latestId(await ready(), key),
    names: async (conversation) => nameRecords(await ready(), conversation),
    locks: async (page) => listLocks(await ready(), page),
    dead: async (page) => listDead(await ready(), page),
    unknown: async (page) => listUnknown(await ready(), page),
    refusals: async (page) => listRefusals(await ready(), page),
    quarantined: async (page) => listQuarantined(await ready(), page),
    projectChanges: async () => projectChanges(await ready()),
    counts: async () => counts(await ready()),
    gauges: async () => gauges(await ready()),
  };
}
