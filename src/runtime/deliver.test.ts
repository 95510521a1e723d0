import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { SendOutcome } from "../ports/channel.ts";
import { withFaults } from "../testing/fault-engine.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";

let lull: TestLull;
const open = (config: Partial<TestLullConfig> = {}) => {
  lull = testLull({ window: { seconds: 10 }, respond: () => "hello", ...config });
  return lull;
};
afterEach(() => lull.stop());

const SENT: SendOutcome = { kind: "sent", providerId: "SM1" };
const UNKNOWN: SendOutcome = { kind: "unknown", why: "read timeout" };

/** The n-th send comes to the n-th outcome; the last one stays. */
function sends(...outcomes: (SendOutcome | "throw" | "hang")[]) {
  const tried: string[] = [];
  lull.channel.behave((outgoing) => {
    tried.push(outgoing.text);
    const outcome = outcomes[Math.min(tried.length, outcomes.length) - 1]!;
    if (outcome === "throw") throw new Error("socket hang up");
    return outcome === "hang" ? new Promise(() => {}) : outcome;
  });
  return tried;
}

async function turns() {
  const engine = await lull.service.engine();
  const { items } = await engine.inspector.conversations({ limit: 1 });
  return (await engine.inspector.conversation(items[0]!.id))!.turns;
}

async function unknown() {
  return (await (await lull.service.engine()).inspector.unknown({ limit: 10 })).items;
}

async function ask() {
  await lull.receive("ana", "hi");
  await lull.advance(10_000);
}

describe("a send that certainly did not happen", () => {
  it("is tried again, without asking the responder again", async () => {
    let asked = 0;
    open({
      respond: () => {
        asked += 1;
        return "hello";
      },
    });
    const tried = sends({ kind: "not-sent", retry: "later", why: "connection refused" }, SENT);
    await ask();
    expect(tried).toHaveLength(1);
    await lull.advance(1_000);
    expect(tried).toHaveLength(2);
    expect(asked).toBe(1);
    expect((await turns()).map(({ outcome }) => outcome)).toEqual(["replied"]);
  });

  it("waits as long as the provider says", async () => {
    open();
    const tried = sends({ kind: "not-sent", retry: "later", retryAfterMs: 40_000, why: "429" }, SENT);
    await ask();
    await lull.advance(39_000);
    expect(tried).toHaveLength(1);
    await lull.advance(1_000);
    expect(tried).toHaveLength(2);
  });

  it("becomes a dead letter with its draft when it never can, and that is told", async () => {
    const told: (readonly [string, unknown])[] = [];
    open({
      log: (level, event, fields) => void (event === "turn.dead" && told.push([level, fields?.deadLetter])),
    });
    sends({ kind: "not-sent", retry: "never", why: "21610 opted out" });
    await ask();
    const { items } = await (await lull.service.engine()).inspector.dead({ limit: 10 });
    expect(items).toMatchObject([
      { reason: "NOT_SENT: 21610 opted out", draft: { chunks: [{ text: "hello" }] } },
    ]);
    expect(told).toEqual([["error", items[0]?.id]]);
  });
});

describe("a send whose outcome the provider never told", () => {
  it("is not repeated: the channel is asked soon, and what it has is proof at any time", async () => {
    open();
    lull.channel.reconcileWith(() => ({ kind: "sent", providerId: "SM9" }));
    const tried = sends(UNKNOWN);
    await ask();
    expect(await turns()).toEqual([]);
    await lull.advance(1_000);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM9"] }]);
    expect(tried).toHaveLength(1);
  });

  it("is not repeated when a callback proves it while the list, which lags, is being asked", async () => {
    open();
    let isTold = false;
    const tried = sends(UNKNOWN, { kind: "sent", providerId: "SM2" });
    await ask();
    const sentAtMs = lull.service.clock.nowMs();
    lull.channel.reconcile = async ({ reference }) => {
      const { receiving } = await lull.service.engine();
      // The last question, when "not there" counts.
      if (lull.service.clock.nowMs() - sentAtMs >= 30_000 && !isTold) {
        isTold = true;
        const status = { account: "test", providerId: "SM1", status: "delivered", chunk: reference };
        expect(await receiving.recordDelivery("test", status)).toBe("confirmed");
      }
      return { kind: "not-sent" };
    };
    await lull.advance(60_000);
    expect([isTold, tried.length]).toEqual([true, 1]);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM1"] }]);
  });

  it("is found by a list that lags behind", async () => {
    open();
    lull.channel.reconcileWith((n) => (n < 4 ? { kind: "not-sent" } : { kind: "sent", providerId: "SM4" }));
    const tried = sends("throw");
    await ask();
    await lull.advance(30_000);
    expect(tried).toHaveLength(1);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM4"] }]);
  });

  it.each([
    ["an earlier turn", "hello"],
    ["an earlier message of the same reply", ["hello", "hello"]],
  ])("is not taken for %s with the same words", async (_where, reply) => {
    open({ respond: () => reply });
    // The provider's list holds only what was sent before.
    lull.channel.reconcileWith((_n, { excludeProviderIds }) =>
      excludeProviderIds.includes("SM1") ? { kind: "not-sent" } : { kind: "sent", providerId: "SM1" },
    );
    const tried = sends(SENT, UNKNOWN, { kind: "sent", providerId: "SM2" });
    await ask();
    if (typeof reply === "string") await ask();
    await lull.advance(60_000);
    expect(tried).toHaveLength(3);
    expect((await turns()).flatMap(({ providerIds }) => providerIds)).toEqual(["SM1", "SM2"]);
  });

  it("is confirmed by the provider's callback, without waiting and without asking", async () => {
    open();
    sends(UNKNOWN);
    await ask();
    const { reference } = lull.channel.outbox[0]!;
    const engine = await lull.service.engine();
    const status = { account: "test", providerId: "SM7", status: "delivered", chunk: reference };
    expect(await engine.receiving.recordDelivery("test", status)).toBe("confirmed");
    await lull.advance(200);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM7"] }]);
  });

  it("is given up at its deadline, even by a channel that does not listen to its signal", async () => {
    open();
    lull.channel.reconcileWith(() => ({ kind: "sent", providerId: "SM3" }));
    sends("hang");
    await ask();
    await lull.advance(60_000);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM3"] }]);
  });
});

describe("while nothing is heard of a lost send, it", () => {
  it("is asked about again, less and less often, while it may still be inside the provider", async () => {
    open();
    const askedAtS: number[] = [];
    lull.channel.reconcileWith(() => {
      askedAtS.push(Math.floor((lull.service.clock.nowMs() - sentAtMs) / 1_000));
      return { kind: "not-sent" };
    });
    const tried = sends(UNKNOWN, SENT);
    await ask();
    const sentAtMs = lull.service.clock.nowMs();
    await lull.advance(29_999);
    expect(askedAtS).toEqual([1, 2, 4, 8, 16]);
    expect(tried).toHaveLength(1);
    await lull.advance(1);
    expect(askedAtS).toHaveLength(6);
    expect(tried).toHaveLength(2);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM1"] }]);
  });

  it("is asked about again when the provider is away", async () => {
    open();
    lull.channel.reconcileWith((n) => {
      if (n === 1) throw new Error("503");
      return { kind: "sent", providerId: "SM2" };
    });
    sends(UNKNOWN);
    await ask();
    await lull.advance(200_000);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM2"] }]);
  });

  it("is asked about, with pauses, while an outage is waited out; then a person decides", async () => {
    open({ limits: { retryForSeconds: 600 } });
    let asked = 0;
    lull.channel.reconcileWith(() => {
      asked += 1;
      throw new Error("503");
    });
    const tried = sends(UNKNOWN);
    await ask();
    await lull.advance(620_000);
    expect(await turns()).toEqual([]);
    await lull.advance(120_000);
    expect(await turns()).toMatchObject([{ outcome: "unknown" }]);
    expect([tried.length, (await unknown()).length]).toEqual([1, 1]);
    expect(asked).toBeLessThan(40);
  });

  it("is not asked about again once it had time to settle, where asking cannot help", async () => {
    open();
    lull.channel.reconcileWith(() => ({ kind: "cannot-tell", why: "texts differ", retry: "never" }));
    sends(UNKNOWN);
    await ask();
    await lull.advance(29_000);
    expect(await turns()).toEqual([]);
    await lull.advance(1_000);
    expect(await turns()).toMatchObject([{ outcome: "unknown" }]);
  });

  it("is sent again where it is never found, during an outage; then it is a dead letter", async () => {
    open({ limits: { retryForSeconds: 100 } });
    lull.channel.reconcileWith(() => ({ kind: "not-sent" }));
    const tried = sends(UNKNOWN);
    await ask();
    await lull.advance(400_000);
    expect(tried).toHaveLength(4);
    const { items } = await (await lull.service.engine()).inspector.dead({ limit: 10 });
    expect(items).toMatchObject([{ draft: { chunks: [{ state: { kind: "pending" } }] } }]);
    expect(items[0]?.reason).toMatch(/^NOT_SENT: no send has been confirmed for 1\d\d s$/);
  });
});

describe("a lost send of which nothing can be learnt", () => {
  it("is held for a person when the channel cannot be asked, with the chunks behind it", async () => {
    open({ respond: () => ["one", "two", "three"] });
    sends(SENT, UNKNOWN);
    await ask();
    await lull.advance(50_000);
    expect(await turns()).toMatchObject([{ outcome: "unknown" }]);
    expect((await unknown()).map(({ text }) => text).sort()).toEqual(["three", "two"]);
  });

  it("goes out again with `resend`", async () => {
    open({ onUnknown: "resend" });
    const tried = sends(UNKNOWN, SENT);
    await ask();
    await lull.advance(45_000);
    expect(tried).toHaveLength(2);
    expect(await turns()).toMatchObject([{ outcome: "replied" }]);
  });

  it("is held at last with `resend`, when that never gets a word either", async () => {
    open({ onUnknown: "resend", limits: { attemptsMax: 2 } });
    const tried = sends(UNKNOWN);
    await ask();
    await lull.advance(400_000);
    expect(tried).toHaveLength(2);
    expect(await turns()).toMatchObject([{ outcome: "unknown" }]);
  });

  it("counts as sent with `assume-sent`", async () => {
    open({ onUnknown: "assume-sent" });
    const tried = sends(UNKNOWN);
    await ask();
    await lull.advance(45_000);
    expect(tried).toHaveLength(1);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["assumed"] }]);
  });
});

describe("what is known of a send", () => {
  it("is when it was asked for: what was accepted while the list was on its way is not in it", async () => {
    open();
    const ledger: string[] = [];
    const asked = Promise.withResolvers<void>();
    lull.channel.behave(async ({ text }) => {
      if (ledger.length > 0) return { kind: "sent", providerId: "twice" };
      // The provider accepts it while the list below is already on its way to us.
      void asked.promise.then(() => ledger.push(text));
      return UNKNOWN;
    });
    lull.channel.reconcile = async () => {
      const isThere = ledger.length > 0;
      const isSlow = lull.service.clock.nowMs() - startAtMs > 10_000;
      if (isSlow && !isThere) {
        asked.resolve();
        await lull.clock.sleep(14_000);
      }
      return isThere ? { kind: "sent", providerId: "SM1" } : { kind: "not-sent" };
    };
    await ask();
    const startAtMs = lull.service.clock.nowMs();
    await lull.advance(60_000);
    expect(lull.channel.outbox).toHaveLength(1);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM1"] }]);
  });

  it("is recorded with the failure when the next chunk cannot be written: it is not sent again", async () => {
    const fault = { isOn: true };
    open({
      respond: () => ["one", "two"],
      engine: withFaults(
        memory(),
        (name) => (name === "turns.writeChunks" && fault.isOn ? "fail-before" : "pass"),
        () => new Error("the disk is on fire"),
      ),
    });
    const tried = sends(SENT, { kind: "sent", providerId: "SM2" });
    await ask();
    fault.isOn = false;
    await lull.advance(60_000);
    expect(tried).toEqual(["one", "two"]);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM1", "SM2"] }]);
    expect(await unknown()).toEqual([]);
  });

  it("has an id in words, whatever the channel gave", async () => {
    open({ respond: () => ["one", "two"] });
    lull.channel.behave((_, n) => ({ kind: "sent", providerId: n as unknown as string }));
    await ask();
    expect(await turns()).toMatchObject([{ providerIds: ["1", "2"] }]);
  });
});

describe("a sender that was frozen at its socket", () => {
  const told = () => logged.filter((event) => event === "send.late");
  const logged: string[] = [];
  const log = (_level: string, event: string) => void logged.push(event);

  it("tells that it was late, also when its own deadline speaks first", async () => {
    logged.length = 0;
    open({ log });
    lull.channel.reconcileWith(() => ({ kind: "not-sent" }));
    sends("hang", SENT);
    await ask();
    // The process stands still for longer than the send may take: the clock goes on, its timers do not.
    lull.clock.setBack(-70_000);
    await lull.advance(15_000);
    expect(told()).toHaveLength(1);
  });

  it("tells of an answer that comes after the deadline", async () => {
    logged.length = 0;
    open({ log });
    lull.channel.reconcileWith(() => ({ kind: "sent", providerId: "SM1" }));
    const answer = Promise.withResolvers<SendOutcome>();
    lull.channel.behave(() => answer.promise);
    await ask();
    await lull.advance(15_000);
    expect(told()).toHaveLength(0);
    answer.resolve(SENT);
    await lull.advance(1);
    expect(told()).toHaveLength(1);
  });

  it("is not told of a send that simply took too long", async () => {
    logged.length = 0;
    open({ log });
    lull.channel.reconcileWith(() => ({ kind: "sent", providerId: "SM1" }));
    sends("hang");
    await ask();
    await lull.advance(60_000);
    expect(told()).toHaveLength(0);
  });
});

describe("a send at the edge of its time", () => {
  it("is not begun when its time is over", async () => {
    open({ respond: () => ["one", "two"], engine: { ...memory(), defaults: { sendTimeoutMs: 0 } } });
    lull.channel.reconcileWith(() => ({ kind: "not-sent" }));
    const tried = sends(SENT);
    await ask();
    await lull.advance(40_000);
    expect(tried).toEqual([]);
  });

  it("on a channel that this process lacks waits for one that has it, then is a dead letter", async () => {
    open();
    await lull.receive("ana", "hi");
    const engine = await lull.service.engine();
    const { items } = await engine.inspector.conversations({ limit: 1 });
    const conversationId = items[0]!.id;
    await engine.conversations.say({
      conversationId,
      id: "1",
      channel: "fax",
      to: "ana",
      texts: ["beep"],
      author: "me",
    });
    const dead = async () => (await engine.inspector.dead({ limit: 10 })).items;
    await lull.advance(20 * 60_000);
    expect(await dead()).toEqual([]);
    await lull.advance(15 * 60_000);
    expect(await dead()).toMatchObject([{ reason: "NO_CHANNEL: this process has no channel fax" }]);
  });
});

describe("a reply in several chunks", () => {
  it("goes on with the first unsent chunk after a failure", async () => {
    open({ respond: () => ["one", "two"] });
    const tried = sends(
      SENT,
      { kind: "not-sent", retry: "later", why: "429" },
      { kind: "sent", providerId: "SM2" },
    );
    await ask();
    await lull.advance(1_000);
    expect(tried).toEqual(["one", "two", "two"]);
    expect(await turns()).toMatchObject([{ outcome: "replied", providerIds: ["SM1", "SM2"] }]);
  });

  it("stops between chunks when a human takes over", async () => {
    open({ respond: () => ["one", "two"] });
    const engine = await lull.service.engine();
    lull.channel.behave(async (outgoing, n) => {
      await engine.conversations.change(outgoing.conversationId, { handedOff: true });
      return { kind: "sent", providerId: `SM${n}` };
    });
    await ask();
    expect(lull.sent.map(({ text }) => text)).toEqual(["one"]);
    expect(await turns()).toMatchObject([{ outcome: "handed-off", providerIds: ["SM1"] }]);
  });

  it("is split at the channel's limit", async () => {
    open({ respond: () => `${"word ".repeat(3_000)}` });
    await ask();
    expect(lull.sent.length).toBeGreaterThan(1);
    expect(lull.sent.every(({ text }) => text.length <= 10_000)).toBe(true);
  });
});

it("a picture that may not have gone out is held, and goes out when a person resends it", async () => {
  const media = [{ url: "https://example.test/menu.png", contentType: "image/png" }];
  open({ respond: () => ({ media }) });
  sends(UNKNOWN, SENT);
  await ask();
  await lull.advance(120_000);
  const [held] = await unknown();
  expect(held).toMatchObject({ text: "", media });
  expect(await (await lull.service.engine()).repairs.resendUnknown(held!.id)).toBe("staged");
  await lull.advance(60_000);
  expect(lull.channel.outbox.map(({ text, media: shown }) => [text, shown])).toEqual([
    ["", media],
    ["", media],
  ]);
  expect((await turns()).map(({ outcome }) => outcome)).toEqual(["unknown", "replied"]);
  expect(await unknown()).toEqual([]);
});

it("a reply that is a picture is in the history", async () => {
  const media = [{ url: "https://example.test/menu.png", contentType: "image/png" }];
  open({ respond: () => ({ media }) });
  await ask();
  const { conversations, inspector } = await lull.service.engine();
  const { items } = await inspector.conversations({ limit: 1 });
  const history = await conversations.history(items[0]!.id, 10);
  expect(history.map(({ role, media: shown }) => [role, shown])).toEqual([
    ["user", []],
    ["assistant", media],
  ]);
});
