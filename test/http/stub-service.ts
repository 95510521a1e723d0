import { settingsWith } from "../../src/core/defaults.ts";
import { createEdge, type EdgeOptions } from "../../src/http/edge.ts";
import { type ServeOptions, type Serving, serve } from "../../src/http/node.ts";
import type { Conversation } from "../../src/model/conversation.ts";
import type { DeadLetter } from "../../src/model/dead-letter.ts";
import { isPlace } from "../../src/model/kept.ts";
import type { Log, LogFields } from "../../src/model/log.ts";
import type { FullReply } from "../../src/model/reply.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { UnknownSend } from "../../src/model/unknown-send.ts";
import type { Channel, WebhookRequest } from "../../src/ports/channel.ts";
import type { Engine } from "../../src/ports/engine.ts";
import type { ConversationDetail } from "../../src/ports/inspector.ts";
import type { NotRepeated } from "../../src/ports/repairs.ts";
import { createConversation } from "../../src/runtime/create-conversation.ts";
import { knownChannel } from "../../src/runtime/known-channel.ts";
import { operating } from "../../src/runtime/operating.ts";
import { operationsOver, withinProject } from "../../src/runtime/operations.ts";
import { peoplesRights } from "../../src/runtime/people.ts";
import { projectsOver } from "../../src/runtime/projects.ts";
import { SampledLog } from "../../src/runtime/sampled-log.ts";
import type { SayRequest } from "../../src/runtime/say.ts";
import type { Service } from "../../src/runtime/service.ts";
import { syntheticCustomers } from "../../src/runtime/synthetic-customers.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

/** 2025-11-15T08:00:00.000Z: what the stub's clock shows. */
export const NOW_MS = 1_763_193_600_000;

export const CONVERSATION: Conversation = {
  id: "c_1",
  channelType: "web",
  address: "web",
  sender: "visitor-0001",
  status: "reply_sent",
  projectStatus: "active",
  taskComplete: false,
  handedOff: false,
  paused: false,
  window: { kind: "quiet", quietMs: 4_000, maxMs: 20_000 },
  attributes: { camelCase: { stillCamel: 1 } },
  promptTokens: 10,
  completionTokens: 5,
  totalTokens: 15,
  createdAtMs: NOW_MS - 60_000,
  updatedAtMs: NOW_MS - 1_000,
};

const STAGED = {
  id: "web/web/visitor-0001/m-3",
  channel: "web",
  account: "web",
  providerId: "visitor-0001/m-3",
  address: "web",
  sender: "visitor-0001",
  replyTo: "visitor-0001",
  text: "and a dessert",
  media: [{ url: "https://example.test/a.png", contentType: "image/png" }],
  fields: { ProfileName: "Ana" },
  arrivedAtMs: NOW_MS - 3_000,
  position: 0,
  sequence: 3,
};

const DRAFT = {
  turnId: "t_9",
  messageIds: [STAGED.id],
  channel: "web",
  to: "visitor-0001",
  from: "web",
  chunks: [
    { text: "sure", state: { kind: "sent", providerId: "p1", atMs: NOW_MS } },
    { text: "thing", state: { kind: "sending", sendByAtMs: NOW_MS + 1_000 } },
  ],
  answerStartedAtMs: NOW_MS,
  draftedAtMs: NOW_MS,
} as const;

const LOCK = {
  conversationId: "c_1",
  window: { id: "w_1", dueAtMs: NOW_MS + 7_000 },
  staged: 1,
  attempts: 0,
  draft: false,
};

const REFUSAL = {
  messageId: "web/web/m-0",
  channel: "web",
  sender: "visitor-0001",
  code: "CONVERSATION_LOCKED",
  atMs: NOW_MS,
};

const DEAD: DeadLetter = {
  id: "d/1",
  conversationId: "c_1",
  reason: "x",
  attempts: 5,
  messages: [STAGED],
  outbounds: [],
  replySent: "unknown",
  draft: DRAFT,
  atMs: NOW_MS,
};

const UNKNOWN: UnknownSend = {
  id: "u_1",
  conversationId: "c_1",
  turnId: "t_1",
  chunk: 0,
  channel: "web",
  to: "visitor-0001",
  text: "gladly",
  media: STAGED.media,
  atMs: NOW_MS,
};

export const DETAIL: ConversationDetail = {
  conversation: CONVERSATION,
  staged: [STAGED],
  lock: LOCK,
  messages: [
    { role: "user", text: "hi\nfor two", media: [], atMs: NOW_MS - 50_000, turnId: "t_1" },
    {
      role: "assistant",
      text: "gladly",
      media: [],
      atMs: NOW_MS - 40_000,
      turnId: "t_1",
      author: "ana@example.test",
    },
  ],
  turns: [
    {
      turnId: "t_1",
      conversationId: "c_1",
      outcome: "replied",
      channel: "web",
      messageIds: ["web/web/visitor-0001/m-1", "web/web/visitor-0001/m-2"],
      providerIds: ["web-t_1.0"],
      attempts: 1,
      restarts: 0,
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      openedAtMs: NOW_MS - 50_000,
      dueAtMs: NOW_MS - 42_000,
      takenAtMs: NOW_MS - 42_000,
      answerStartedAtMs: NOW_MS - 41_990,
      answeredAtMs: NOW_MS - 40_100,
      sentAtMs: NOW_MS - 40_050,
      committedAtMs: NOW_MS - 40_000,
    },
  ],
  refusals: [REFUSAL],
  dead: [DEAD],
  unknown: [UNKNOWN],
};

/** Every call that reached the engine, as `name` and arguments. */
export type Calls = [string, ...unknown[]][];

function stubEngine(calls: Calls): Engine {
  const note =
    <A extends unknown[], R>(name: string, answer: (...args: A) => R) =>
    async (...args: A): Promise<R> => {
      calls.push([name, ...args]);
      return answer(...args);
    };
  const known = (id: string) => id === "c_1";
  const unused = {} as never;
  return {
    receiving: unused,
    secretFor: async () => Buffer.alloc(32, 1).toString("base64url"),
    turns: unused,
    sweeping: unused,
    conversations: {
      create: note("create", (given) => ({ created: given.sender !== "known", conversation: CONVERSATION })),
      get: note("get", (id) => (known(id) ? CONVERSATION : undefined)),
      change: note("change", (id, change) =>
        known(id) ? ({ ...CONVERSATION, ...change } as Conversation) : undefined,
      ),
      changeAttribute: note("changeAttribute", (id) => (known(id) ? "changed" : "not-found")),
      erase: note("erase", (id) => (known(id) ? "erased" : "not-found")),
      history: note("history", () => []),
      say: note("say", () => "staged" as const),
      answer: note("answer", () => "accepted" as const),
      pauseAll: note("pauseAll", () => undefined),
      changeProject: note("changeProject", () => undefined),
    },
    repairs: {
      deadLetter: note("deadLetter", () => undefined),
      retryDead: note("retryDead", (id) => (id === "d/1" ? "retried" : unrepeated(id))),
      discardDead: note("discardDead", (id) => (id === "d/1" ? "discarded" : "not-found")),
      unknownSend: note("unknownSend", () => undefined),
      markUnknown: note("markUnknown", (id) => (id === "u_1" ? "marked" : "not-found")),
      resendUnknown: note("resendUnknown", (id) => (id === "u_1" ? "staged" : unrepeated(id))),
      discardQuarantined: note("discardQuarantined", () => "not-found" as const),
    },
    people: {
      find: note("find", ({ names }) => ({
        items: names.includes("+15550101")
          ? [{ channelType: "whatsapp", address: "+1", names, conversationIds: ["c_1"], others: [] }]
          : [],
      })),
      kept: note("kept", (of, { kind }) => ({
        items:
          isPlace(of) && kind === "conversation" ? [{ conversationId: "c_1", record: CONVERSATION }] : [],
      })),
      erase: note("erasePerson", () => "erased" as const),
    },
    inspector: {
      conversations: note("conversations", () => ({ items: [CONVERSATION], next: "more" })),
      conversation: note("conversation", (id) => (known(id) ? DETAIL : undefined)),
      latestId: note("latestId", () => "c_1"),
      projectChanges: note("projectChanges", () => new Map()),
      names: note("names", () => new Map()),
      locks: note("locks", () => ({
        items: [LOCK, { ...LOCK, lease: { holder: "w1", untilAtMs: NOW_MS, takenAtMs: NOW_MS } }],
      })),
      dead: note("dead", () => ({ items: [DEAD] })),
      unknown: note("unknown", () => ({ items: [UNKNOWN] })),
      refusals: note("refusals", () => ({ items: [REFUSAL] })),
      counts: note("counts", () => ({
        conversations: 1,
        staged: 1,
        windows: 1,
        leases: 0,
        turns: 1,
        dead: 1,
        unknown: 1,
        refusals: 1,
        quarantined: 1,
        paused: false,
      })),
      quarantined: note("quarantined", () => ({
        items: [
          {
            id: "7",
            table: "states",
            key: "c_1",
            conversationId: "c_1",
            why: "works is no list",
            raw: "{}",
            atMs: NOW_MS,
          },
        ],
      })),
      gauges: note("gauges", () => ({ dead: 1, unknown: 1, quarantined: 1, staleLeases: 0, paused: false })),
    },
    ping: note("ping", () => undefined),
    close: note("close", () => undefined),
  };
}

/** Answers in its own words, so that a test sees who worded them. */
export function stubChannel(type: string, more: Partial<Channel> = {}): Channel {
  return {
    type,
    textMax: 1_000,
    verify: () => ({ kind: "authentic" }),
    parse: () => ({ kind: "ignored", why: "stub" }),
    answer: ({ code }) => ({
      status: code === "PAYLOAD_TOO_LARGE" ? 413 : code === "RATE_LIMITED" ? 429 : 200,
      headers: { "content-type": "text/xml" },
      body: `<${type}>${code ?? "ok"}</${type}>`,
    }),
    send: async () => ({ kind: "sent", providerId: "p" }),
    ...more,
  };
}

export interface Stub extends Service {
  readonly received: { readonly channel: string; readonly request: WebhookRequest }[];
  readonly calls: Calls;
  readonly logged: { readonly event: string; readonly fields: LogFields }[];
}

export type StubOptions = Partial<Omit<Service, "settings">> & { settings?: Partial<GivenSettings> };

export function stubService({ settings, ...overrides }: StubOptions = {}): Stub {
  const received: Stub["received"] = [];
  const calls: Calls = [];
  const logged: Stub["logged"] = [];
  const engine = stubEngine(calls);
  const clock = fakeClock(NOW_MS);
  const channels = overrides.channels ?? {
    whatsapp: stubChannel("whatsapp"),
    web: stubChannel("web", { addresses: ["web"] }),
  };
  const receive = async (channel: string, request: WebhookRequest) => {
    received.push({ channel, request });
    return { status: 200, headers: { "content-type": "text/plain" }, body: "staged" };
  };
  const say = async (request: SayRequest) => {
    if (request.channel !== undefined) knownChannel(channels, request.channel);
    calls.push(["service.say", request]);
    return request.conversationId !== "c_1" ? "not-found" : request.id === "again" ? "duplicate" : "staged";
  };
  const context = { channels, settings: settingsWith(settings ?? {}), engine: async () => engine };
  const log: Log = (_level, event, fields = {}) => logged.push({ event, fields });
  return {
    received,
    calls,
    logged,
    ...context,
    ...operating({ ...context, log }),
    ...peoplesRights({ ...context, log }),
    ...syntheticCustomers({ ...context, log }),
    ...projectsOver({ ...context, watch: { changed: () => {} } }),
    projectTokens: {},
    forProject: (project) => operationsOver({ ...withinProject(context, project), log }),
    prove: async (word) => ({ store: `store of ${word}`, service: `service of ${word}` }),
    publicUrl: undefined,
    aliases: {},
    apiToken: undefined,
    turnToken: undefined,
    secrets: { get: async (reference) => (typeof reference === "string" ? reference : "from elsewhere") },
    log,
    workerId: "stub",
    counters: { series: () => ({}), version: 0 },
    metrics: async () => ({ lull_orphans_total: 0, 'lull_turns_committed_total{outcome="replied"}': 2 }),
    clock,
    receive,
    sampled: new SampledLog(log, overrides.clock ?? clock),
    say,
    createConversation: (request, made) => createConversation({ ...context, say }, request, made),
    catchUp: async () => ({ listed: 0, new: 0, duplicates: 0, refused: 0, unattributed: [], moved: [] }),
    async answerTurn(turnId: string, reply: FullReply) {
      calls.push(["service.answerTurn", turnId, reply]);
      return turnId === "t_1" ? "accepted" : "stale";
    },
    ready: async () => {},
    requireFit: async () => {},
    wake: async () => "nothing",
    start: async () => {
      calls.push(["start"]);
    },
    stop: async (graceMs) => {
      calls.push(["stop", graceMs]);
    },
    ...overrides,
  };
}

/** Serves a stub on a free port of the loopback. */
export function serveStub(
  service: Service,
  options: Partial<ServeOptions> & { edge?: EdgeOptions } = {},
): Promise<Serving> {
  const handle = createEdge(service, options.edge);
  const { settings, clock, start, stop } = service;
  return serve({ handle, settings, clock, start, stop }, { port: 0, host: "127.0.0.1", ...options });
}

function unrepeated(id: unknown): NotRepeated {
  return id === "passed_on" ? "passed-on" : "not-found";
}
