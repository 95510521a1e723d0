import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { web } from "../../src/channels/web/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { LullError } from "../../src/errors.ts";
import { createLull, type Lull, type Reply, type Turn } from "../../src/index.ts";
import type { Channel, SendOutcome } from "../../src/ports/channel.ts";
import type { EngineProvider } from "../../src/ports/engine.ts";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.ts";
import { type TestChannel, testChannel } from "../../src/testing/test-channel.ts";
import { type Document, DocumentCheck } from "./document-check.ts";

const PICTURE = { url: "https://media.example.test/1.png", contentType: "image/png", name: "1.png" };
const USAGE = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

const HI = { text: "hi", id: "1" };
const STAGED_MAX = 10;

/** How each person is answered: one for every way in which a turn can go. */
const REPLIES: Readonly<Record<string, (turn: Turn) => Promise<Reply> | Reply>> = {
  "refused by the model": () => {
    throw new LullError("not this", { code: "MODEL_REFUSED", retry: "never" });
  },
  "tried again later": () => {
    throw new LullError("too busy", { code: "MODEL_BUSY", retry: "later", retryAfterMs: 600_000 });
  },
  "sent in part": () => ({
    text: ["one", "two"],
    media: [PICTURE],
    usage: USAGE,
    complete: true,
    handOff: "asked for a person",
  }),
  "lost on the way": () => ({ text: ["did it come?", "and this?"], media: [PICTURE] }),
  "answered later": () => ({ laterSeconds: 600 }),
  "being answered": () => new Promise(() => {}),
  "handed over": () => ({ text: "a person comes", handOff: "asked for a person" }),
  done: () => ({ text: "bye", complete: true }),
  "counted in halves": () => ({
    text: "about that much",
    usage: { promptTokens: 1.5, completionTokens: 2.5, totalTokens: 4 },
  }),
};

/** How visitors of the web channel are answered, who get no answer; all others do. */
const VISITS: typeof REPLIES = {
  "a visitor refused": () => {
    throw new LullError("not this", { code: "MODEL_REFUSED", retry: "never" });
  },
  "a visitor in an outage": () => {
    throw new LullError("not now", { code: "MODEL_DOWN", retry: "later", retryAfterMs: 600_000 });
  },
  "a visitor lost": () => "did it come?",
};

/** How their sends end; all others are sent. */
const SENDS: Readonly<Record<string, (text: string) => SendOutcome | undefined>> = {
  "sent in part": (text) => (text === "two" ? { kind: "not-sent", retry: "never", why: "no" } : undefined),
  "told for nothing": (text) =>
    text === "a word" ? { kind: "not-sent", retry: "never", why: "no" } : undefined,
  "lost on the way": () => ({ kind: "unknown", why: "no answer" }),
  "a visitor lost": () => ({ kind: "unknown", why: "no answer" }),
  "+15550126": () => ({ kind: "not-sent", retry: "never", why: "no" }),
  "+15550127": () => ({ kind: "unknown", why: "no answer" }),
};

interface Answer {
  readonly status: number;
  readonly body: {
    readonly items: {
      readonly id: string;
      readonly conversation_id: string;
      readonly turn_id: string;
      readonly sender: string;
    }[];
    readonly next?: string;
    readonly conversation: { readonly id: string };
  };
}

/** A web channel that does not always know whether its visitor was reached, and cannot be asked later. */
function webLosing(): Channel {
  const channel = web();
  const { send } = channel;
  const sendOrLose: Channel["send"] = async (outgoing, ...rest) =>
    SENDS[outgoing.to]?.(outgoing.text) ?? send(outgoing, ...rest);
  return Object.assign(channel, { send: sendOrLose, reconcile: undefined }) as unknown as Channel;
}

class Fixture {
  readonly clock: FakeClock = fakeClock();
  readonly channel: TestChannel = testChannel({ type: "whatsapp" });
  readonly lull: Lull;
  readonly turnIds = new Map<string, string>();
  readonly problems = new Set<string>();
  check: DocumentCheck | undefined;
  /** What may not have come is sent again, and refused for good. */
  isResent = false;
  #count = 0;

  constructor(engine: EngineProvider) {
    this.channel.behave(({ to, text }, n) => {
      if (this.isResent && to === "lost on the way") return { kind: "not-sent", retry: "never", why: "no" };
      return SENDS[to]?.(text) ?? { kind: "sent", providerId: `out-${n}` };
    });
    const config = {
      engine,
      channels: { phone: this.channel, web: webLosing() },
      window: { seconds: 10 },
      limits: { retryForSeconds: 30, settleSeconds: 1, leaseSeconds: 86_400, stagedMessagesMax: STAGED_MAX },
      respond: (turn: Turn) => {
        const { sender } = turn.conversation;
        this.turnIds.set(sender, turn.id);
        return (
          (REPLIES[sender] ?? VISITS[sender])?.(turn) ?? {
            text: `heard: ${turn.text}`,
            usage: USAGE,
            media: [PICTURE],
          }
        );
      },
      clock: this.clock,
      random: () => 0.5,
      log: () => {},
    };
    this.lull = createLull(config, { showsReasons: true });
  }

  async write(sender: string, text: string, alias?: string): Promise<void> {
    this.#count += 1;
    const message = {
      providerId: `m${this.#count}`,
      account: "ours",
      address: "+15550100",
      sender,
      ...(alias !== undefined && { senderAlias: alias }),
      replyTo: sender,
      text,
      media: [PICTURE],
      sentAtMs: this.clock.nowMs(),
      fields: { ProfileName: "Ana" },
    };
    const request = new Request("http://localhost/webhooks/phone", {
      method: "POST",
      body: JSON.stringify([message]),
    });
    await this.done(this.lull.fetch(request));
  }

  async visit(sender: string, id: string): Promise<void> {
    const write = (message: object) => this.ask("POST", "/webhooks/{channel}", "web", message);
    expect((await write({ id, sender, text: "hi" })).status).toBe(200);
    expect((await write({ id, sender })).status).toBe(400);
  }

  /** Asks the API, or as a visitor, and holds its answer against the document. */
  async ask(method: string, path: string, id = "", body?: unknown, query = ""): Promise<Answer> {
    const url = `http://localhost${path.replace(/\{\w+\}/, encodeURIComponent(id))}${query}`;
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const request = new Request(url, { method, ...(body !== undefined && json) });
    const response = await this.done(this.lull.fetch(request, { remoteAddress: "127.0.0.1" }));
    const answer = (await response.json()) as Answer["body"];
    for (const problem of this.check?.problemsIn(method, path, response.status, answer) ?? [])
      this.problems.add(problem.replaceAll(/\[\d+\]/g, "[]"));
    return { status: response.status, body: answer };
  }

  /** Some engines wait between two tries, and this clock stands still by itself. */
  async done<T>(asked: Promise<T>): Promise<T> {
    let isDone = false;
    const over = () => {
      isDone = true;
    };
    asked.then(over, over);
    for (await this.clock.settle(); !isDone; ) await this.clock.advance(50);
    return asked;
  }

  async stop(): Promise<void> {
    const stopped = this.lull.stop(0);
    await this.done(stopped);
  }
}

/** Everything that can be in a store, each under the name of the person to whom it happened. */
async function happen(it: Fixture): Promise<void> {
  const conversations = "/api/conversations";
  const made = async (sender: string, given: object = {}) => {
    const body = { channel: "phone", address: "+15550100", sender, ...given };
    return (await it.ask("POST", conversations, "", body)).body.conversation.id;
  };
  await made("not on this channel", {
    allowed_channels: ["sms"],
    attributes: { own: { camelCase: 1 } },
    window: { quiet_seconds: 4 },
    sender_alias: "+15550299",
  });
  await it.write("not on this channel", "hello?");
  const told = await made("told for nothing", { first_message: "welcome" });
  await made("told for nothing");
  await it.ask("POST", `${conversations}/{id}/say`, told, { text: "a word" });
  for (const sender of [...Object.keys(REPLIES), "answered"]) {
    await it.write(sender, "hi", "+15550123");
    await it.write(sender, "are you open?", "+15550123");
  }
  await it.write("+15550126", "not sent");
  await it.write("+15550127", "sent or not");
  await it.clock.advance(60_000);
  await it.write("handed over", "are you there?");
  await it.clock.advance(60_000);
  await it.ask("POST", `${conversations}/{id}/pause`, await made("on hold", { window: { seconds: 5 } }));
  await it.write("on hold", "wait");
  await it.clock.advance(20_000);
  await it.write("waiting", "just now", "+15550124");
  await it.write("+15550125", "mine once");
  for (const visitor of ["answered", "being answered", ...Object.keys(VISITS)]) await it.visit(visitor, "1");
  await it.clock.advance(20_000);
  await it.visit("just arrived", "1");
  await it.write("SV.later", "hi");
  for (const number of ["+15550125", "+15550126", "+15550127"])
    await it.write("SV.later", "and mine now", number);
}

async function idOf(it: Fixture, sender: string): Promise<string> {
  const query = `?search=${encodeURIComponent(sender)}`;
  const { items } = (await it.ask("GET", "/api/conversations", "", undefined, query)).body;
  return items.find((each) => each.sender === sender)?.id ?? "";
}

async function entryOf(it: Fixture, path: "dead" | "unknown", sender: string): Promise<string> {
  const conversationId = await idOf(it, sender);
  const { items } = (await it.ask("GET", `/api/${path}`)).body;
  return items.findLast((each) => each.conversation_id === conversationId)?.id ?? "";
}

/** Every list page by page, and every conversation whole. */
async function lookAtAll(it: Fixture): Promise<void> {
  for (const path of ["conversations", "locks", "dead", "unknown", "refusals", "quarantined"]) {
    let query = "?limit=1";
    for (let pages = 0; pages < 50; pages += 1) {
      const { body } = await it.ask("GET", `/api/${path}`, "", undefined, query);
      for (const { id, sender } of path === "conversations" ? body.items : []) {
        await it.ask("GET", "/api/conversations/{id}", id);
        for (const what of ["find", "export"])
          await it.ask("POST", `/api/${what}-person`, "", { customer: sender });
      }
      if (body.next === undefined) break;
      query = `?limit=1&cursor=${encodeURIComponent(body.next)}`;
    }
  }
  await it.ask("GET", "/api/conversations/{id}", "no-such-id");
  for (const sender of [
    "being answered",
    "answered",
    "just arrived",
    "no such visitor",
    ...Object.keys(VISITS),
  ])
    await it.ask(
      "GET",
      "/webhooks/{channel}/feed",
      "web",
      undefined,
      `?sender=${encodeURIComponent(sender)}`,
    );
  await it.ask("GET", "/api/counts");
  await it.ask("GET", "/api/openapi.json");
}

/** Every change that a person can ask for, with what is there and with what is not. */
async function changeAll(it: Fixture): Promise<void> {
  const first = async (path: string) => (await it.ask("GET", path)).body.items[0]?.id ?? "";
  for (const action of ["close", "pause", "resume", "hand-off", "hand-back"])
    for (const id of [await first("/api/conversations"), "no-such-id"])
      await it.ask("POST", `/api/conversations/{id}/${action}`, id);
  for (const sender of ["waiting", "no-such-sender", "+15550125"])
    for (const body of [HI, HI, {}, { text: "x".repeat(100_000) }])
      await it.ask("POST", "/api/conversations/{id}/say", (await idOf(it, sender)) || "no-such-id", body);
  const held = await idOf(it, "on hold");
  for (let n = 0; n <= STAGED_MAX; n += 1)
    await it.ask("POST", "/api/conversations/{id}/say", held, { text: `${n}` });
  for (const text of ["x".repeat(100_000), "here it is", "again"])
    await it.ask("POST", "/api/turns/{id}/reply", it.turnIds.get("answered later"), { text });
  await it.ask("POST", "/api/dead/{id}/retry", await entryOf(it, "dead", "+15550126"));
  await it.ask("POST", "/api/unknown/{id}/resend", await entryOf(it, "unknown", "+15550127"));
  for (const [method, path] of [
    ["POST", "/api/dead/{id}/retry"],
    ["POST", "/api/dead/{id}/discard"],
    ["DELETE", "/api/dead/{id}"],
  ] as const)
    for (const id of [await first("/api/dead"), "none"]) await it.ask(method, path, id);
  it.isResent = true;
  for (const action of ["resend", "mark"])
    for (const id of [await entryOf(it, "unknown", "lost on the way"), "none"])
      await it.ask("POST", `/api/unknown/{id}/${action}`, id, action === "mark" ? { as: "sent" } : {});
  const stopped = { status: "stopped", allowed_channels: ["sms"] };
  for (const body of [stopped, { paused: true }, { allowed_channels: ["all"] }, { status: "active" }])
    for (const id of ["default", "none"]) await it.ask("POST", "/api/projects/{id}", id, body);
  await it.ask("GET", "/api/projects");
  for (const id of ["default", "none"]) await it.ask("POST", "/api/projects/{id}/reset", id);
  await it.ask("POST", "/api/pause");
  await it.ask("POST", "/api/resume");
  for (const id of [await first("/api/conversations"), "no-such-id"])
    await it.ask("DELETE", "/api/conversations/{id}", id);
  for (const customer of ["answered", "nobody"]) await it.ask("POST", "/api/erase-person", "", { customer });
  await it.ask("POST", "/api/erase-synthetic", "", {});
}

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

interface Store {
  readonly engine: EngineProvider;
  /** Writes into it behind the engine's back, where another program could. */
  readonly spoil: () => void;
  /** What none of its answers can have. */
  readonly unseen: RegExp;
}

async function onFile(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), "lull-documented-"));
  folders.push(folder);
  const file = join(folder, "lull.db");
  const spoil = () => {
    const database = new DatabaseSync(file, { timeout: 5_000 });
    database.exec("UPDATE staged SET item = 'not ours'");
    database.close();
  };
  return { engine: sqlite({ file, writer: "inline", synchronous: "off" }), spoil, unseen: RARE };
}

/**
 * A dead letter whose sender died in the middle, or whose answer never came: no request can make one. What
 * another system does to rows that it shares with Lull is on AWS. What got no answer is marked for responders
 * alone, and that an answer is late waits for a moment only.
 */
const RARE = new RegExp(
  [
    /^Draft\.(chunks\[\]\.state\.send_by_at|awaiting_until_at)$/,
    /^Lock\.elsewhere\b|^QuarantinedRow\.movable$/,
    /^HistoryMessage\.unanswered$|^StagedOutbound\.about$/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
/** No other program can write into our own memory. */
const RARE_IN_MEMORY = new RegExp(`${RARE.source}|^QuarantinedRow\\.|^KeptCounts\\.quarantined$`);

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => ({ engine: memory(), spoil: () => {}, unseen: RARE_IN_MEMORY }),
  sqlite: onFile,
};

async function opened(engine: EngineProvider): Promise<{ it: Fixture; check: DocumentCheck }> {
  const it = new Fixture(engine);
  await it.done(it.lull.start());
  const check = new DocumentCheck((await it.ask("GET", "/api/openapi.json")).body as unknown as Document);
  it.check = check;
  return { it, check };
}

describe("every answer is as the published document says", () => {
  test.each(Object.entries(STORES))("on %s", async (_, open) => {
    const store = await open();
    const { it, check } = await opened(store.engine);
    await happen(it);
    await lookAtAll(it);
    await changeAll(it);
    await it.clock.advance(30_000);
    store.spoil();
    await it.clock.advance(30_000);
    await lookAtAll(it);
    await it.stop();
    expect([...it.problems]).toEqual([]);
    // Bytes are left behind only while another process reads the file; a person has more only who goes on.
    expect(check.ungiven()).toEqual(["DELETE /api/conversations/{id} 202", "POST /api/erase-person 202"]);
    expect(check.unseen().filter((place) => !store.unseen.test(place))).toEqual([]);
  });
});
