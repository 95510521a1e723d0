import { settingsWith } from "../../src/core/defaults.ts";
import { aws } from "../../src/engines/aws/index.ts";
import { sqsClient } from "../../src/engines/aws/options.ts";
import { Visibility } from "../../src/lambda/visibility.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { Lease } from "../../src/model/lease.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { fakeConversation } from "../../src/testing/fake-turn.ts";
import type { OutgoingCall } from "./outgoing-call.ts";

const REGION = "eu-west-1";
/** Short, and long enough for three bytes that drip. */
const DEADLINES = { requestMsMax: 150, callMsMax: 400, pollMarginMsMax: 150 };

async function onEngine(url: string, make: (engine: Engine) => Promise<unknown>): Promise<unknown> {
  const provider = aws({
    region: REGION,
    endpoint: url,
    queues: { default: `${url}/000000000000/default` },
    waitSeconds: 0,
    retrying: { attemptsMax: 3, baseMs: 1, ...DEADLINES },
  });
  const engine = await provider.open({
    clock: systemClock,
    settings: settingsWith({ ...provider.defaults, validation: "on-receipt" }),
    holder: "worker-1",
    log: () => {},
    onArmed: () => {},
  });
  try {
    return await make(engine);
  } finally {
    await engine.close();
  }
}

const lease: Lease = {
  conversationId: "conversation-1",
  token: "token-1",
  untilAtMs: Number.MAX_SAFE_INTEGER,
};
const draft: Draft = {
  turnId: "turn-1",
  messageIds: [],
  channel: "whatsapp",
  to: "+15550123",
  from: "+15550100",
  chunks: [{ text: "we are open", state: { kind: "pending" } }],
  answerStartedAtMs: 0,
  draftedAtMs: 0,
};
const arrival = {
  providerId: "SM1",
  account: "AC1",
  address: "+15550100",
  sender: "+15550123",
  replyTo: "+15550123",
  text: "are you open?",
  media: [],
  channel: "whatsapp",
  arrivedAtMs: 0,
  position: 0,
};
const key = { channelType: "whatsapp", address: "+15550100", sender: "+15550123" };
const page = { limit: 10 };

type Port = "receiving" | "turns" | "sweeping" | "conversations" | "repairs" | "inspector";
/** Every member of every port: one that is new does not compile until it is here. */
type EngineCalls = {
  readonly [P in Port]: { readonly [M in keyof Engine[P]]: (engine: Engine) => Promise<unknown> };
} & {
  readonly engine: Record<
    "ping" | "probe" | "checks" | "importConversation" | "redrive",
    (engine: Engine) => Promise<unknown>
  >;
};

const ENGINE: EngineCalls = {
  receiving: {
    stage: ({ receiving }) => receiving.stage([{ arrival }]),
    recordDelivery: ({ receiving }) =>
      receiving.recordDelivery("whatsapp", { account: "AC1", providerId: "SM2", status: "delivered" }),
    knownSinceMs: ({ receiving }) => receiving.knownSinceMs(),
  },
  turns: {
    takeDue: ({ turns }) => turns.takeDue(10, new AbortController().signal),
    take: ({ turns }) => turns.take("conversation-1"),
    renew: ({ turns }) => turns.renew(lease),
    hasNewer: ({ turns }) => turns.hasNewer(lease),
    draft: ({ turns }) => turns.draft(lease, draft),
    writeChunks: ({ turns }) => turns.writeChunks(lease, draft),
    commit: ({ turns }) => turns.commit(lease, { outcome: "replied", draft, more: false }),
    release: ({ turns }) => turns.release(lease, { kind: "put-back" }),
  },
  sweeping: {
    sweep: ({ sweeping }) => sweeping.sweep(),
    freeLeases: ({ sweeping }) => sweeping.freeLeases("worker-2"),
  },
  conversations: {
    create: ({ conversations }) => conversations.create(key),
    get: ({ conversations }) => conversations.get("conversation-1"),
    change: ({ conversations }) => conversations.change("conversation-1", { paused: true }),
    changeAttribute: ({ conversations }) =>
      conversations.changeAttribute("conversation-1", { name: "plan", was: undefined, to: "gold" }),
    erase: ({ conversations }) => conversations.erase("conversation-1"),
    history: ({ conversations }) => conversations.history("conversation-1", 50),
    say: ({ conversations }) =>
      conversations.say({
        id: "say-1",
        conversationId: "conversation-1",
        channel: "whatsapp",
        to: "+15550123",
        texts: ["we are open"],
        author: "ana",
      }),
    answer: ({ conversations }) => conversations.answer({ turnId: "turn-1.conversation-1", texts: ["yes"] }),
    pauseAll: ({ conversations }) => conversations.pauseAll(true),
    changeProject: ({ conversations }) => conversations.changeProject("acme", { status: "archived" }),
  },
  repairs: {
    deadLetter: ({ repairs }) => repairs.deadLetter("dead-1.conversation-1"),
    retryDead: ({ repairs }) => repairs.retryDead("dead-1.conversation-1"),
    discardDead: ({ repairs }) => repairs.discardDead("dead-1.conversation-1"),
    unknownSend: ({ repairs }) => repairs.unknownSend("turn-1.conversation-1.0"),
    markUnknown: ({ repairs }) => repairs.markUnknown("turn-1.conversation-1.0"),
    resendUnknown: ({ repairs }) => repairs.resendUnknown("turn-1.conversation-1.0"),
    discardQuarantined: ({ repairs }) => repairs.discardQuarantined("row-1.conversation-1"),
  },
  inspector: {
    conversations: ({ inspector }) => inspector.conversations(page),
    conversation: ({ inspector }) => inspector.conversation("conversation-1"),
    latestId: ({ inspector }) =>
      inspector.latestId({ channelType: "web", address: "web", sender: "visitor-0001" }),
    names: ({ inspector }) => inspector.names(fakeConversation()),
    locks: ({ inspector }) => inspector.locks(page),
    dead: ({ inspector }) => inspector.dead(page),
    unknown: ({ inspector }) => inspector.unknown(page),
    refusals: ({ inspector }) => inspector.refusals(page),
    quarantined: ({ inspector }) => inspector.quarantined(page),
    projectChanges: ({ inspector }) => inspector.projectChanges(),
    counts: ({ inspector }) => inspector.counts(),
    gauges: ({ inspector }) => inspector.gauges(),
  },
  engine: {
    ping: (engine) => engine.ping(),
    probe: async (engine) => engine.probe?.(),
    redrive: async (engine) => engine.redrive?.(),
    checks: async (engine) => engine.checks?.(),
    importConversation: async (engine) =>
      engine.importConversation?.({
        conversation: fakeConversation(),
        messages: [],
        turns: [],
        names: new Map(),
      }),
  },
};

const OF_ENGINE = [
  "engines/aws/dynamo/dynamo-store.ts",
  "engines/aws/queue/triggers.ts",
  "engines/aws/checks.ts",
  "engines/aws/queue/redrive.ts",
];

/** What the AWS engine asks, member by member. */
export const AWS_CALLS: readonly OutgoingCall[] = [
  ...Object.entries(ENGINE).flatMap(([port, members]) =>
    Object.entries(members).map(
      ([member, make]): OutgoingCall => ({
        name: `aws: ${port}.${member}`,
        of: OF_ENGINE,
        make: (url) => onEngine(url, make),
        ends: "STORE_UNAVAILABLE later",
      }),
    ),
  ),
  {
    name: "lambda: visibility of a trigger",
    of: ["lambda/visibility.ts"],
    make: (url) => visibilityAt(url),
    ends: "told",
  },
];

/** It only tells: nothing depends on it. */
async function visibilityAt(endpoint: string): Promise<string> {
  const events: string[] = [];
  const client = sqsClient({ endpoint, region: REGION });
  const visibility = new Visibility({
    client: () => client,
    queues: [],
    clock: systemClock,
    log: (_level, event) => void events.push(event),
    requestMsMax: DEADLINES.requestMsMax,
  });
  const record = {
    messageId: "1",
    receiptHandle: "receipt",
    body: "",
    eventSourceARN: `arn:aws:sqs:${REGION}:000000000000:default`,
  };
  await visibility.showAfter(record as never, 0);
  client.destroy();
  return events.includes("trigger.not-hidden") ? "told" : "not told";
}
