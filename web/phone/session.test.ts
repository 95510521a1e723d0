import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type WebOptions, web } from "../../src/channels/web/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { type Serving, serve } from "../../src/http/node.ts";
import { createLull } from "../../src/index.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.ts";
import { Session } from "./session.ts";
import type { View } from "./view.ts";

const SECRET = "a secret of this test";
const WINDOW_SECONDS = 10;
const DEADLINE_MS = 30_000;

/**
 * A page without a screen. A test decides when the service's windows close, and when it cannot be reached.
 */
let serving: Serving;
let serviceClock: FakeClock;
let gate: Server;
let isAway = false;
let watchers: (() => void)[] = [];
let timers: Set<() => void>;

beforeEach(() => {
  isAway = false;
  serviceClock = fakeClock();
  timers = new Set();
});
afterEach(async () => {
  for (const stop of timers) stop();
  watchers = [];
  gate.closeAllConnections();
  gate.close();
  await serving.close(0);
});

async function open(options: WebOptions = {}): Promise<string> {
  const lull = createLull({
    engine: memory(),
    channels: { web: web(options) },
    window: { seconds: WINDOW_SECONDS },
    clock: serviceClock,
    respond: ({ messages }) => `heard ${messages.length}`,
    log: () => {},
  });
  serving = await serve(lull, { port: 0 });
  gate = createServer(async (request, response) => {
    if (isAway) return request.socket.destroy();
    const body = request.method === "POST" ? await buffer(request) : null;
    const headers = new Headers({ "content-type": "application/json" });
    const signature = request.headers["x-lull-signature"];
    if (typeof signature === "string") headers.set("x-lull-signature", signature);
    const { method = "GET", url = "/" } = request;
    const answer = await fetch(new URL(url, serving.url), { method, headers, body });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  return `http://127.0.0.1:${(gate.address() as AddressInfo).port}/`;
}

function page(base: string, items = new Map<string, string>(), hash = ""): Session {
  return new Session({
    base,
    channel: "web",
    clock: {
      nowMs: systemClock.nowMs,
      after(ms, run) {
        const stop = systemClock.after(ms, run);
        timers.add(stop);
        return stop;
      },
    },
    storage: () => ({
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => items.set(key, value),
    }),
    isUnsigned: false,
    hash: () => hash,
    forgetLink: () => {},
    accepts: () => true,
    isHidden: () => false,
    changed: () => {
      for (const look of watchers) look();
    },
  });
}

/** Waits for the page to change until it shows that, and no longer than a deadline. */
function until(session: Session, isShown: (view: View) => boolean): Promise<View> {
  return new Promise((resolve, reject) => {
    const stop = systemClock.after(DEADLINE_MS, () =>
      reject(new Error(`never shown; at last ${JSON.stringify(session.view())}`)),
    );
    const look = () => {
      const view = session.view();
      if (!isShown(view)) return;
      stop();
      watchers = watchers.filter((each) => each !== look);
      resolve(view);
    };
    watchers.push(look);
    look();
  });
}

function texts({ items }: View): string[] {
  return items.flatMap((item) => ("rule" in item ? [] : `${item.side} ${item.text}`));
}
const isReplied = (view: View) => view.items.some((item) => "side" in item && item.side === "in");

/** Everything that was said has arrived; then the window closes. */
async function replyOf(session: Session, messages: string): Promise<View> {
  await until(session, ({ now }) => now.state === "gathering" && now.count === messages);
  await serviceClock.advance(WINDOW_SECONDS * 1000);
  return until(session, isReplied);
}

test("three lines, one reply; a reload shows the same", async () => {
  const base = await open();
  const items = new Map<string, string>();
  const session = page(base, items);
  session.catchUp();
  for (const line of ["hi", "a table", "for two"]) session.say(line);
  const view = await replyOf(session, "3 messages");
  expect(texts(view)).toEqual(["out hi", "out a table", "out for two", "in heard 3"]);
  expect(view.tally).toBe("3 messages in, 1 reply out");

  const reloaded = page(base, items);
  reloaded.catchUp();
  expect(texts(await until(reloaded, isReplied))).toEqual(texts(view));
});

test("while the service is away messages wait here; when it is back they go out once, in order", async () => {
  const session = page(await open());
  isAway = true;
  session.catchUp();
  session.say("one");
  session.say("two");
  const away = await until(session, ({ now }) => now.text.startsWith("service away, next try"));
  expect([away.now.count, session.hasUnsent, session.isRetrying]).toEqual(["2 waiting", true, true]);
  isAway = false;
  expect(texts(await replyOf(session, "2 messages"))).toEqual(["out one", "out two", "in heard 2"]);
  expect([session.hasUnsent, session.isRetrying]).toEqual([false, false]);
});

test("a feed that fails is said, and heals by itself", async () => {
  const session = page(await open());
  session.say("hi");
  await replyOf(session, "1 message");
  isAway = true;
  const view = await until(session, ({ now }) => now.text === "service away, trying again");
  expect(texts(view)).toEqual(["out hi", "in heard 1"]);
  isAway = false;
  await until(session, ({ now }) => now.state === "idle");
});

test("a new customer sees nothing of the one before, and gets an own answer", async () => {
  const session = page(await open());
  session.say("mine");
  await replyOf(session, "1 message");
  const before = session.visitor;
  session.startOver();
  expect(session.visitor).not.toBe(before);
  expect(texts(session.view())).toEqual([]);
  session.say("another");
  expect(texts(await replyOf(session, "1 message"))).toEqual(["out another", "in heard 1"]);
});

test("a signed link lets its visitor in; a message without a proof is refused in words", async () => {
  const base = await open({ secret: SECRET });
  const sender = "ana-0001";
  const signature = createHmac("sha256", SECRET).update(sender).digest("hex");
  const signed = page(base, new Map(), `#sender=${sender}&signature=${signature}`);
  signed.say("hello");
  expect(signed.visitor).toBe(sender);
  expect(texts(await replyOf(signed, "1 message"))).toEqual(["out hello", "in heard 1"]);

  const stranger = page(base);
  stranger.say("hello");
  const { items } = await until(stranger, ({ rows }) => rows.some(({ term }) => term === "refused"));
  expect(items).toEqual([expect.objectContaining({ state: "refused", tick: "alert" })]);
});

test("what another tab of the visitor wrote is shown, and another visitor is followed", async () => {
  const base = await open();
  const items = new Map<string, string>();
  const [one, two] = [page(base, items), page(base, items)];
  one.say("from the other tab");
  two.followOtherTab();
  expect(texts(two.view())).toEqual(["out from the other tab"]);
  await replyOf(one, "1 message");
  two.catchUp();
  expect(texts(await until(two, isReplied))).toEqual(["out from the other tab", "in heard 1"]);
  one.startOver();
  two.followOtherTab();
  expect([two.visitor, texts(two.view())]).toEqual([one.visitor, []]);
});
