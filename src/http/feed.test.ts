import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  CONVERSATION,
  DETAIL,
  NOW_MS,
  type StubOptions,
  stubChannel,
  stubService,
} from "../../test/http/stub-service.ts";
import { web } from "../channels/web/index.ts";
import type { Inspector } from "../ports/inspector.ts";
import { problemsIn, TO_PROGRAMS } from "../schema/problems.ts";
import { ERROR } from "./api-schemas.ts";
import { createEdge, type EdgeOptions } from "./edge.ts";
import { FEED } from "./feed-shape.ts";

/** Asks for the feed of a service whose inspector shows `detail`. */
async function feed(
  query: string,
  detail: Partial<typeof DETAIL> = {},
  options: StubOptions = {},
  headers = {},
  edge: EdgeOptions = {},
) {
  const inspector: Partial<Inspector> = {
    conversation: async (id) => (id === "c_1" ? { ...DETAIL, ...detail } : undefined),
    latestId: async (key) => {
      const { channelType, address, sender } = CONVERSATION;
      return JSON.stringify(key) === JSON.stringify({ channelType, address, sender }) ? "c_1" : undefined;
    },
  };
  const handle = createEdge(stubService({ engine: async () => ({ inspector }) as never, ...options }), edge);
  const search = `?${query}`;
  const answer = await handle({
    method: "GET",
    path: "/webhooks/web/feed",
    search,
    query: new URLSearchParams(search),
    headers,
    remoteAddress: undefined,
    body: async () => Buffer.alloc(0),
  });
  const body = JSON.parse(answer.body);
  expect(problemsIn(body, answer.status === 200 ? FEED : ERROR, "", TO_PROGRAMS)).toEqual([]);
  return { status: answer.status, body };
}

const mine = "sender=visitor-0001&conversation=c_1";

test("the feed tells what was said, what waits and when it is due", async () => {
  const { status, body } = await feed(mine);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    conversation: "c_1",
    now: "2025-11-15T08:00:00.000Z",
    state: "gathering",
    due_in_ms: 7_000,
    staged: 1,
    waiting: [{ id: "m-3", text: "and a dessert", at: "2025-11-15T07:59:57.000Z" }],
    messages: [
      { role: "user", text: "hi\nfor two", at: "2025-11-15T07:59:10.000Z", turn_id: "t_1" },
      { role: "assistant", text: "gladly", turn_id: "t_1" },
    ],
    turns: [
      {
        turn_id: "t_1",
        outcome: "replied",
        message_ids: [expect.any(String), expect.stringMatching(/\/m-2$/)],
      },
    ],
  });
});

test("the visitor is not told who of the staff wrote", async () => {
  expect(JSON.stringify(await feed(mine))).not.toContain("ana@example.test");
});

test("after the last number there is nothing until something is said", async () => {
  const { body } = await feed(mine);
  const last = body.messages.at(-1).n;
  expect((await feed(`${mine}&after=${last}`)).body.messages).toEqual([]);
  const messages = [
    ...DETAIL.messages,
    { role: "user", text: "new", media: [], atMs: NOW_MS - 45_000, turnId: "t_2" } as const,
  ];
  const more = await feed(`${mine}&after=${last}`, { messages });
  expect(more.body.messages).toMatchObject([{ text: "new" }]);
});

test.each(["abc", "1,5", "NaN", "Infinity"])(
  "what is after %s is not told: that is no number",
  async (after) => {
    expect(await feed(`${mine}&after=${after}`)).toEqual({
      status: 400,
      body: { error: { code: "INVALID_QUERY", message: "after must be a number" } },
    });
  },
);

test("numbers stay the same when the old end of a long history is cut off", async () => {
  const whole = await feed(mine);
  const cut = await feed(mine, { messages: DETAIL.messages.slice(1) });
  expect(cut.body.messages).toEqual(whole.body.messages.slice(1));
});

const lease = (untilAtMs: number) => ({ holder: "w", takenAtMs: NOW_MS, untilAtMs, turnId: "t1" });
const lock = { conversationId: "c_1", staged: 1, attempts: 1, draft: false };
test.each([
  ["answering", "a lease is held", { lock: { ...lock, lease: lease(NOW_MS + 1) } }],
  ["answering", "a draft awaits its answer", { lock: { ...lock, draft: true } }],
  ["gathering", "a lease has run out", { lock: { ...lock, lease: lease(NOW_MS) } }],
  ["idle", "nothing waits", { lock: { ...lock, staged: 0 }, staged: [] }],
])("the state is %s when %s", async (state, _when, detail) => {
  expect((await feed(mine, detail)).body.state).toBe(state);
});

test("while a turn runs the feed tells since when", async () => {
  const { body } = await feed(mine, { lock: { ...lock, lease: lease(NOW_MS + 1) } });
  expect(body.answering_since).toBe("2025-11-15T08:00:00.000Z");
});

const FAILING = { reason: "OPENAI_UNAVAILABLE: 500", tries: 3, sinceAtMs: NOW_MS - 9_000 };
const AGAIN = { ...lock, failing: { ...FAILING, againAtMs: NOW_MS + 12_000 } };

test("a developer is told why there is no answer, when it is tried again, and by which id", async () => {
  const { body } = await feed(mine, { lock: AGAIN }, {}, {}, { showsReasons: true });
  expect(body.failing).toEqual({
    reason: "OPENAI_UNAVAILABLE: 500",
    tries: 3,
    since: "2025-11-15T07:59:51.000Z",
    again_in_ms: 12_000,
  });
  const at = "2025-11-15T08:00:00.000Z";
  expect(body.unanswered).toEqual([{ id: "d/1", at, message_ids: ["m-3"], attempts: 5, reason: "x" }]);
  expect(body.unknown).toEqual([{ id: "u_1", at, turn_id: "t_1" }]);
});

test("a visitor is told that there is no answer, and neither why nor by which id", async () => {
  const { body } = await feed(mine, { lock: AGAIN });
  const at = "2025-11-15T08:00:00.000Z";
  expect(body.failing).toEqual({ tries: 3, since: "2025-11-15T07:59:51.000Z", again_in_ms: 12_000 });
  expect(body.unanswered).toEqual([{ at, message_ids: ["m-3"], attempts: 5 }]);
  expect(body.unknown).toEqual([{ at, turn_id: "t_1" }]);
});

test("a try that runs, or is overdue, has no time to wait", async () => {
  const failing = (more: object) => ({ lock: { ...lock, failing: { ...FAILING, ...more } } });
  const told = async (more: object) => (await feed(mine, failing(more))).body.failing;
  expect(await told({})).not.toHaveProperty("again_in_ms");
  expect(await told({ againAtMs: NOW_MS - 5 })).toHaveProperty("again_in_ms", 0);
});

test("a quiet window is due when the visitor has been quiet, whatever its row still says", async () => {
  const window = { kind: "quiet", quietMs: 4_000, maxMs: 20_000 } as const;
  const [first] = DETAIL.staged as [(typeof DETAIL.staged)[number]];
  const detail = {
    conversation: { ...CONVERSATION, window },
    staged: [first, { ...first, id: "later", arrivedAtMs: NOW_MS - 500 }],
    lock: { ...lock, window: { id: "w", dueAtMs: NOW_MS + 1_000 } },
  };
  expect((await feed(mine, detail)).body.due_in_ms).toBe(3_500);
});

test("an overdue window is due now, not in the past", async () => {
  const { body } = await feed(mine, {
    staged: [],
    lock: { ...lock, window: { id: "w", dueAtMs: NOW_MS - 5_000 } },
  });
  expect(body.due_in_ms).toBe(0);
});

test.each([
  ["sender=visitor-0002&conversation=c_1", 404],
  ["sender=visitor-0001&conversation=c_2", 404],
  ["sender=visitor&conversation=c_1", 400],
  ["conversation=c_1", 400],
])("%s is answered with %i: a conversation is its visitor's alone", async (query, status) => {
  expect((await feed(query)).status).toBe(status);
});

test("a conversation of another channel is not in the feed", async () => {
  const conversation = { ...CONVERSATION, channelType: "whatsapp" };
  expect((await feed(mine, { conversation })).status).toBe(404);
});

test("nor is one of another web channel, whose visitor has the same name, found by id or name", async () => {
  const conversation = { ...CONVERSATION, address: "shop" };
  expect((await feed(mine, { conversation })).status).toBe(404);
  const shop = { channels: { web: stubChannel("web", { addresses: ["shop"] }) } };
  expect((await feed(mine, {}, shop)).status).toBe(404);
  expect((await feed("sender=visitor-0001", {}, shop)).status).toBe(404);
});

test("a visitor who lost the first acknowledgement finds the conversation by who they are", async () => {
  const { body } = await feed("sender=visitor-0001");
  expect(body.conversation).toBe("c_1");
});

const KEY = "a-key-of-16-and-more";

test("where the channel has a secret, reading needs the same proof as writing", async () => {
  const secrets = { get: async () => KEY };
  const channel = web({ secret: { env: "WEB_SECRET" } });
  channel.open?.({ name: "web", secrets, nowMs: () => NOW_MS });
  const options = { channels: { web: channel }, secrets };
  const signature = createHmac("sha256", KEY).update("visitor-0001").digest("hex");
  expect((await feed(mine, {}, options)).status).toBe(401);
  expect((await feed(mine, {}, options, { "x-lull-signature": "0".repeat(64) })).status).toBe(401);
  expect((await feed(mine, {}, options, { "x-lull-signature": signature })).status).toBe(200);
});

test("wrong signatures on the feed are logged, as on the way in", async () => {
  const channel = web({ secret: { env: "WEB_SECRET" } });
  channel.open?.({ name: "web", secrets: { get: async () => KEY }, nowMs: () => NOW_MS });
  const noted: unknown[] = [];
  const sampled = { note: (...line: unknown[]) => void noted.push(line) };
  const wrong = { "x-lull-signature": "0".repeat(64) };
  expect((await feed(mine, {}, { channels: { web: channel }, sampled }, wrong)).status).toBe(401);
  const reason = expect.stringContaining("x-lull-signature");
  expect(noted).toEqual([["warn", "webhook.refused", { channel: "web", code: "INVALID_SIGNATURE", reason }]]);
});

test("the store is not asked for a sender who cannot have written", async () => {
  const { status, body } = await feed(`sender=${"x".repeat(201)}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("sender is too long")]);
});

test.each(["", "x".repeat(1_025), "\u{1f600}".repeat(300)])(
  "no store is asked for a conversation that nothing can be called: %j",
  async (id) => {
    const inspector: Partial<Inspector> = {
      conversation: async () => {
        throw new Error("asked");
      },
    };
    const query = new URLSearchParams({ sender: "visitor-0001", conversation: id });
    const { status } = await feed(String(query), {}, { engine: async () => ({ inspector }) as never });
    expect(status).toBe(404);
  },
);

test("a feed asks for no more than a page needs, and counts what it does not show", async () => {
  const asked: unknown[] = [];
  const inspector: Partial<Inspector> = {
    conversation: async (id, limits) => {
      asked.push(id, limits);
      return { ...DETAIL, lock: { ...DETAIL.lock!, staged: 1_999 } };
    },
  };
  const { body } = await feed(mine, {}, { engine: async () => ({ inspector }) as never });
  expect(asked).toEqual([
    "c_1",
    { rowsMax: 200, bytesMax: 128_000, waiting: { rowsMax: 500, bytesMax: 1_000_000 }, unansweredMax: 5 },
  ]);
  expect(body.staged).toBe(1_999);
});

test("one visitor's pages may ask five times a second, and take nothing from another's", async () => {
  const inspector: Partial<Inspector> = { conversation: async () => DETAIL, latestId: async () => "c_1" };
  const handle = createEdge(stubService({ engine: async () => ({ inspector }) as never }));
  const ask = async (sender: string) => {
    const search = `?sender=${sender}`;
    const query = new URLSearchParams(search);
    const rest = { headers: {}, remoteAddress: undefined, body: async () => Buffer.alloc(0) };
    return (await handle({ method: "GET", path: "/webhooks/web/feed", search, query, ...rest })).status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 301; n += 1) statuses.push(await ask("visitor-0001"));
  expect(statuses.filter((status) => status === 200)).toHaveLength(300);
  expect(statuses.at(-1)).toBe(429);
  expect(await ask("visitor-0002")).toBe(404);
});
