import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memory } from "../../src/engines/memory/index.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { serve } from "../../src/http/node.ts";
import { createLull } from "../../src/index.ts";
import type { RefusalCode } from "../../src/model/refusal.ts";
import type { EngineProvider } from "../../src/ports/engine.ts";
import type { LullConfig } from "../../src/runtime/config.ts";
import { type FakeTwilio, fakeTwilio } from "../../src/testing/fake-twilio.ts";
import { type FakeWati, fakeWati } from "../../src/testing/fake-wati.ts";
import { memoryFixture } from "../aws/simulated/memory-fixture.ts";
import { pageNamed } from "../doc-pages.ts";
import { CALLERS, type Caller, channelsTo, PUBLIC_URL, type Written } from "./refused-callers.ts";

/** A service that runs, to which one caller writes. */
interface At {
  readonly caller: Caller;
  readonly write: (written?: Written) => Promise<Response>;
  readonly twilio: FakeTwilio;
  readonly wati: FakeWati;
}

interface Row {
  /** As in the page. */
  readonly what: string;
  readonly code: RefusalCode | undefined;
  readonly config?: () => Partial<LullConfig> | Promise<Partial<LullConfig>>;
  readonly bodyBytesMax?: number;
  /** Callers to whom this cannot happen. */
  readonly except?: readonly string[];
  /** What leads to the answer. */
  readonly answer: (at: At) => Promise<Response>;
}

let close: (() => Promise<unknown>)[] = [];
let folder: string;
let providers: Pick<At, "twilio" | "wati">;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-refusals-"));
  providers = { twilio: fakeTwilio(), wati: fakeWati() };
  await Promise.all([providers.twilio.start(), providers.wati.start()]);
  close = [];
});
afterEach(async () => {
  for (const each of close.reverse()) await each();
  await Promise.all([providers.twilio.stop(), providers.wati.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** A second message: the first is taken in. */
async function second({ write }: At): Promise<Response> {
  expect((await write()).status).toBe(200);
  return write();
}

const NO_WINDOW = { window: { seconds: 0 } };

/** Answers nothing before the service stops, so that a turn runs as long as the test does. */
function silent(): { config: Partial<LullConfig>; asked: Promise<void> } {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  return {
    asked,
    config: {
      ...NO_WINDOW,
      whileBusy: "reject",
      busyText: "one moment",
      respond: ({ signal }) => {
        resolve();
        return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
      },
    },
  };
}

let turn: ReturnType<typeof silent>;
const whileAnswering = async ({ write }: At) => {
  expect((await write()).status).toBe(200);
  await turn.asked;
};
const rejecting = () => {
  turn = silent();
  return turn.config;
};

/** A store that takes nothing in before it is told to. */
function slow(): { engine: EngineProvider; goOn: () => void } {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const { open, ...engine } = memory();
  return {
    goOn,
    engine: {
      ...engine,
      async open(context) {
        const opened = await open(context);
        const stage = opened.receiving.stage.bind(opened.receiving);
        opened.receiving.stage = (requests) => promise.then(() => stage(requests));
        return opened;
      },
    },
  };
}

let waiting: ReturnType<typeof slow>;

const ROWS: readonly Row[] = [
  { what: "nothing: it is taken in", code: undefined, answer: ({ write }) => write() },
  {
    what: "no signature or secret, or a wrong one",
    code: "INVALID_SIGNATURE",
    answer: ({ write }) => write({ secret: "another-secret-of-sixteen" }),
  },
  {
    what: "it is for a number that is not the channel's",
    code: "INVALID_SIGNATURE",
    except: ["web"],
    answer: ({ write }) => write({ address: "+15550142" }),
  },
  {
    what: "what a message needs is missing",
    code: "INVALID_PAYLOAD",
    answer: ({ write }) => write({ isEmpty: true }),
  },
  {
    what: "the body is larger than the channel reads",
    code: "PAYLOAD_TOO_LARGE",
    answer: ({ write }) => write({ text: "x".repeat(100_000) }),
  },
  {
    what: "no item of DynamoDB holds the message, or its text is longer than the page may write",
    code: "MESSAGE_TOO_LARGE",
    config: async () => {
      const { open } = await memoryFixture();
      return { engine: { ...memory(), open: () => open() } };
    },
    bodyBytesMax: 1_000_000,
    answer: ({ write, caller }) => write({ text: "x".repeat(caller.name === "web" ? 9_000 : 410_000) }),
  },
  {
    what: 'no open conversation, with `admission: "known"`',
    code: "CONVERSATION_NOT_FOUND",
    config: () => ({ admission: "known" }),
    answer: ({ write }) => write(),
  },
  {
    what: "the project is not active",
    code: "PROJECT_INACTIVE",
    config: () => ({ project: { status: "stopped" } }),
    answer: ({ write }) => write(),
  },
  {
    what: "the channel's type is not allowed",
    code: "CHANNEL_NOT_ALLOWED",
    config: () => ({ project: { allowedChannels: ["sms"] } }),
    answer: ({ write }) => write(),
  },
  {
    what: 'a turn runs, with `whileBusy: "reject"`: the first message',
    code: "CONVERSATION_LOCKED",
    config: rejecting,
    async answer(at) {
      await whileAnswering(at);
      return at.write();
    },
  },
  {
    what: "the same: the next ones",
    code: "CONVERSATION_LOCKED",
    config: rejecting,
    async answer(at) {
      await whileAnswering(at);
      await at.write();
      return at.write();
    },
  },
  {
    what: "no responder for the channel",
    code: "ROUTE_NOT_FOUND",
    config: () => ({ respond: undefined as never, responders: { other: () => "ok" } }),
    answer: ({ write }) => write(),
  },
  {
    what: "too many requests at once",
    code: "RATE_LIMITED",
    config: () => {
      waiting = slow();
      return { engine: waiting.engine, limits: { requestsMax: 1 } };
    },
    async answer({ write }) {
      const [first, other] = [write(), write()];
      const refused = await Promise.race([first, other]);
      waiting.goOn();
      await Promise.all([first, other]);
      return refused;
    },
  },
  {
    what:
      "a sender wrote more than `limits.senderPerMinuteMax`, " +
      "a visitor more than `limits.visitorPerMinuteMax`",
    code: "RATE_LIMITED",
    config: () => ({ limits: { senderPerMinuteMax: 1, visitorPerMinuteMax: 1 } }),
    answer: second,
  },
  {
    what: "more waits in the conversation than may (`limits.stagedMessagesMax`, `limits.stagedBytesMax`)",
    code: "RATE_LIMITED",
    config: () => ({ limits: { stagedMessagesMax: 1 } }),
    answer: second,
  },
  {
    what: "the store or the queue failed",
    code: "STORE_UNAVAILABLE",
    config: () => ({ engine: sqlite({ file: join(folder, "lull.db") }) }),
    async answer({ write }) {
      expect((await write()).status).toBe(200);
      await rm(join(folder, "lull.db"));
      return write();
    },
  },
];

async function start(row: Row, caller: Caller): Promise<At> {
  const lull = createLull({
    engine: memory(),
    publicUrl: PUBLIC_URL,
    channels: channelsTo({ twilio: providers.twilio.url, wati: providers.wati.url }, row.bodyBytesMax),
    respond: () => "ok",
    log: () => {},
    ...(await row.config?.()),
  });
  const serving = await serve(lull, { port: 0 });
  close.push(
    () => lull.stop(0),
    () => serving.close(0),
  );
  let id = 0;
  const write = (written: Written = {}) => {
    id += 1;
    return caller.post(serving.url, id, written);
  };
  return { ...providers, caller, write };
}

/** What a caller hears, in the words of the page. */
async function heard(answer: Response): Promise<{ cell: string; code: unknown }> {
  const type = answer.headers.get("content-type") ?? "";
  const body = await answer.text();
  const again = answer.headers.get("retry-after");
  const words = [String(answer.status)];
  let code: unknown;
  if (type.startsWith("text/xml")) {
    const said = /^<\?xml [^>]+\?>(<Response\/>|<Response><Message>(.+)<\/Message><\/Response>)$/.exec(body);
    expect(said, body).not.toBeNull();
    words.push(said?.[2] === undefined ? "empty TwiML" : "TwiML with the busy text");
  } else {
    const told = JSON.parse(body) as Record<string, unknown>;
    code = told.code;
    expect(told.ok).toBe(code === undefined);
    words.push(code === undefined ? "`ok`" : "`code`");
    if (told.detail !== undefined) words.push("`detail`");
  }
  if (again !== null) words.push(`\`Retry-After: ${again}\``);
  return { cell: words.join(", "), code };
}

const TABLE = rowsUnder("## Every refusal");

describe.each(CALLERS)("$name is told what docs/from-the-seeds.md says:", (caller) => {
  const at = TABLE[0]!.indexOf(caller.name);

  test.each(ROWS.map((row) => [row.what, row] as const))("%s", async (_, row) => {
    const cells = TABLE.find(([what]) => what === row.what);
    expect(cells?.[1]).toBe(row.code === undefined ? "" : `\`${row.code}\``);
    if (row.except?.includes(caller.name)) return expect(cells?.[at]).toBe("–");
    const { cell, code } = await heard(await row.answer(await start(row, caller)));
    expect(cells?.[at]).toBe(cell);
    if (caller.name !== "Twilio") expect(code).toBe(row.code);
  });
});

test("the busy text that WATI's answer cannot carry is sent, behind the turn", async () => {
  const wati = CALLERS.find(({ name }) => name === "WATI")!;
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const row = ROWS.find(({ what }) => what.includes("the first message"))!;
  const respond = () => {
    asked.resolve();
    return answer.promise;
  };
  const at = await start({ ...row, config: () => ({ ...rejecting(), respond }) }, wati);
  await at.write();
  await asked.promise;
  expect(await at.write().then(({ status }) => status)).toBe(200);
  answer.resolve("here I am");
  await at.wati.whenSent(2);
  expect(at.wati.sent.map(({ text }) => text)).toEqual(["here I am", "one moment"]);
});

test("the page has a row for every code, and none that is not tried", () => {
  const every: Record<RefusalCode, true> = {
    INVALID_SIGNATURE: true,
    INVALID_PAYLOAD: true,
    PAYLOAD_TOO_LARGE: true,
    MESSAGE_TOO_LARGE: true,
    CONVERSATION_NOT_FOUND: true,
    PROJECT_INACTIVE: true,
    CHANNEL_NOT_ALLOWED: true,
    CONVERSATION_LOCKED: true,
    ROUTE_NOT_FOUND: true,
    RATE_LIMITED: true,
    STORE_UNAVAILABLE: true,
  };
  expect(TABLE.slice(1).map(([what]) => what)).toEqual(ROWS.map(({ what }) => what));
  expect(new Set(ROWS.flatMap(({ code }) => code ?? []))).toEqual(new Set(Object.keys(every)));
});

function rowsUnder(heading: string): string[][] {
  const { text } = pageNamed("docs/from-the-seeds.md");
  const [, section = ""] = text.split(heading);
  const [table = ""] = /^\|[\s\S]*?\n(?!\|)/m.exec(section) ?? [];
  const lines = table.trim().split("\n");
  return [lines[0]!, ...lines.slice(2)].map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}
