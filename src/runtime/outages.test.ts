import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { sqlite } from "../engines/sqlite/index.ts";
import { ConfigError, LullError } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { Outgoing, SendOutcome } from "../ports/channel.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

const MINUTE = 60_000;
const OUTAGE_MS = 10 * MINUTE;
const CUSTOMERS = Array.from({ length: 20 }, (_, n) => `customer-${n}`);

let lull: TestLull;
afterEach(() => lull.stop());

/**
 * For ten minutes `who` is away, and all customers write before and during them; then it is back for a
 * quarter of an hour.
 */
async function liveThrough(who: {
  readonly responder?: () => never | Promise<never>;
  readonly sending?: (outgoing: Outgoing) => SendOutcome | Promise<SendOutcome>;
  readonly asking?: () => never;
  readonly log?: Log;
}) {
  let isAway = true;
  const ledger: Outgoing[] = [];
  lull = testLull({
    window: { seconds: 10 },
    respond: (turn) => (isAway && who.responder ? who.responder() : turn.text),
    ...(who.log && { log: who.log }),
  });
  lull.channel.behave((outgoing) => {
    if (isAway && who.sending) return who.sending(outgoing);
    ledger.push(outgoing);
    // Where the list is away, the answer to the send gets lost first.
    if (isAway && who.asking) return { kind: "unknown", why: "connection reset" };
    return { kind: "sent", providerId: `SM${ledger.length}` };
  });
  lull.channel.reconcile = async ({ to, text }) => {
    if (isAway && who.asking) who.asking();
    const at = ledger.findIndex((sent) => sent.to === to && sent.text === text);
    return at === -1 ? { kind: "not-sent" } : { kind: "sent", providerId: `SM${at + 1}` };
  };
  for (const customer of CUSTOMERS) await lull.receive(customer, "one");
  await lull.advance(OUTAGE_MS / 2);
  for (const customer of CUSTOMERS) await lull.receive(customer, "two");
  await lull.advance(OUTAGE_MS / 2);
  isAway = false;
  await lull.advance(15 * MINUTE);
  return ledger;
}

/** What each customer was told, in order. */
function toldTo(ledger: readonly Outgoing[]): Record<string, string> {
  return Object.fromEntries(
    CUSTOMERS.map((customer) => {
      const texts = ledger.filter(({ to }) => to === customer).map(({ text }) => text);
      return [customer, texts.join(" | ")];
    }),
  );
}

async function nothingNeedsAPerson(): Promise<void> {
  const { inspector } = await lull.service.engine();
  expect(await inspector.counts()).toMatchObject({ staged: 0, windows: 0, leases: 0, dead: 0, unknown: 0 });
}

const allCustomers = (text: string) => Object.fromEntries(CUSTOMERS.map((customer) => [customer, text]));
const error = (fields: object) => Object.assign(new Error("away"), fields);

describe("after ten minutes without the responder every customer is answered, once", () => {
  it.each([
    ["refused", { code: "ECONNREFUSED", syscall: "connect" }],
    ["cut off", { cause: { code: "UND_ERR_SOCKET" } }],
    ["answered with 500", { status: 500 }],
    ["answered with 429 and a time", { status: 429, headers: { "retry-after": "1" } }],
  ])("%s", async (_, fields) => {
    const ledger = await liveThrough({
      responder: () => {
        throw error(fields);
      },
    });
    expect(toldTo(ledger)).toEqual(allCustomers("one\ntwo"));
    await nothingNeedsAPerson();
  });

  it("silent", async () => {
    const ledger = await liveThrough({ responder: () => new Promise<never>(() => {}) });
    expect(toldTo(ledger)).toEqual(allCustomers("one\ntwo"));
    await nothingNeedsAPerson();
  });
});

describe("after ten minutes without the provider every customer is answered, once and in order", () => {
  it.each<[string, (outgoing: Outgoing) => SendOutcome | Promise<SendOutcome>]>([
    ["refused", () => ({ kind: "not-sent", retry: "later", why: "connection refused" })],
    ["too many", () => ({ kind: "not-sent", retry: "later", retryAfterMs: 1_000, why: "429" })],
    ["silent", () => new Promise(() => {})],
  ])("%s", async (_, sending) => {
    expect(toldTo(await liveThrough({ sending }))).toEqual(allCustomers("one | two"));
    await nothingNeedsAPerson();
  });

  it("and without its list", async () => {
    const ledger = await liveThrough({
      sending: () => new Promise(() => {}),
      asking: () => {
        throw error({ status: 503 });
      },
    });
    expect(toldTo(ledger)).toEqual(allCustomers("one | two"));
    await nothingNeedsAPerson();
  });
});

it("after ten minutes without the provider's list no reply is sent twice, no send is unknown", async () => {
  const ledger = await liveThrough({
    asking: () => {
      throw error({ status: 500 });
    },
  });
  expect(toldTo(ledger)).toEqual(allCustomers("one | two"));
  await nothingNeedsAPerson();
});

describe("refused credentials count as an outage and are logged at once: changing them heals it", () => {
  const REFUSED = {
    kind: "not-sent",
    retry: "later",
    why: "the provider answered 401",
    credentials: true,
  } as const;
  const logged: [level: string, event: string, fields: unknown][] = [];
  const log: Log = (level, event, fields) => void logged.push([level, event, fields]);
  const told = (name: string) => logged.filter(([, event]) => event === name);

  it.each<[string, Parameters<typeof liveThrough>[0], string, string, string]>([
    ["by the provider", { sending: () => REFUSED }, "one | two", "credentials.refused", "answered 401"],
    [
      "by the responder's vendor",
      {
        responder: () => {
          throw new LullError("answered 401", { code: "UNAUTHORIZED", retry: "later", credentials: true });
        },
      },
      "one\ntwo",
      "credentials.refused",
      "answered 401",
    ],
    [
      "because they cannot be read",
      {
        responder: () => {
          throw new ConfigError("the secret file is gone");
        },
      },
      "one\ntwo",
      "config.failed",
      "the secret file is gone",
    ],
  ])("%s", async (_, who, answers, event, reason) => {
    logged.length = 0;
    expect(toldTo(await liveThrough({ ...who, log }))).toEqual(allCustomers(answers));
    await nothingNeedsAPerson();
    const [first, ...others] = told(event);
    expect(first).toEqual([
      "error",
      event,
      expect.objectContaining({ reason: expect.stringContaining(reason) }),
    ]);
    // Once a minute, and not for each of hundreds of tries.
    expect(others.filter(([level]) => level !== "debug").length).toBeLessThanOrEqual(OUTAGE_MS / MINUTE);
  });

  it("and end as dead letters where they are never changed", async () => {
    logged.length = 0;
    lull = testLull({ limits: { retryForSeconds: 120 }, respond: (turn) => turn.text, log });
    lull.channel.behave(() => REFUSED);
    await lull.receive("ana", "hi");
    await lull.advance(30_000);
    expect(told("credentials.refused")[0]?.[0]).toBe("error");
    expect(told("turn.dead")).toEqual([]);
    await lull.advance(5 * MINUTE);
    const { items } = await (await lull.service.engine()).inspector.dead({ limit: 10 });
    expect(items).toMatchObject([{ reason: "NOT_SENT: the provider answered 401" }]);
  });
});

it("an outage that outlasts its time ends as dead letters that say why", async () => {
  lull = testLull({
    limits: { retryForSeconds: 120 },
    respond: () => {
      throw error({ status: 503 });
    },
  });
  await lull.receive("ana", "hi");
  await lull.advance(5 * MINUTE);
  const { items } = await (await lull.service.engine()).inspector.dead({ limit: 10 });
  expect(items).toMatchObject([{ reason: "Error: away", messages: [{ text: "hi" }] }]);
  expect(items[0]!.attempts).toBeGreaterThan(5);
});

it("an unclassified error still counts", async () => {
  let asked = 0;
  lull = testLull({
    respond: () => {
      asked += 1;
      throw new Error("x is not a function");
    },
  });
  await lull.receive("ana", "hi");
  await lull.advance(10 * MINUTE);
  expect(asked).toBe(5);
  expect((await (await lull.service.engine()).inspector.dead({ limit: 10 })).items).toHaveLength(1);
});

describe("ten minutes without the responder, then ten without the provider", () => {
  const SORRY = "It takes longer.";
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  const onFile = async () => {
    folders.push(await mkdtemp(join(tmpdir(), "lull-")));
    return sqlite({ file: join(folders.at(-1)!, "lull.db"), writer: "inline" });
  };

  /** In each way for as long as the others. */
  const wayOf = <T>(ways: readonly T[], sinceMs: number) =>
    ways[Math.min(ways.length - 1, Math.floor((sinceMs * ways.length) / OUTAGE_MS))]!;
  const AWAY = [
    { code: "ECONNREFUSED" },
    { status: 500 },
    { status: 429, headers: { "retry-after": "20" } },
    "silent",
  ] as const;
  const SENDING: readonly SendOutcome["kind"][] = ["not-sent", "unknown", "not-sent", "unknown"];

  it.each([
    ["in memory", async () => memory()],
    ["in a file", onFile],
  ])(
    "every customer is answered, in order, once, and told at most once that it takes longer: %s",
    async (_, on) => {
      const ledger: Outgoing[] = [];
      let phase: "responder" | "provider" | "over" = "responder";
      let begunAtMs = 0;
      lull = testLull({
        engine: await on(),
        window: { seconds: 10 },
        failureText: SORRY,
        respond: (turn) => {
          if (phase !== "responder") return turn.text.replaceAll("\n", " ");
          const way = wayOf(AWAY, lull.clock.nowMs() - begunAtMs);
          if (way === "silent") return new Promise<never>(() => {});
          throw error(way);
        },
      });
      lull.channel.behave((outgoing) => {
        if (phase !== "provider") {
          ledger.push(outgoing);
          return { kind: "sent", providerId: `SM${ledger.length}` };
        }
        const sinceMs = lull.clock.nowMs() - begunAtMs;
        if (wayOf(SENDING, sinceMs) === "not-sent")
          return { kind: "not-sent", retry: "later", retryAfterMs: 15_000, why: "429" };
        // It took half of them.
        if (Number(outgoing.to.split("-")[1]) % 2 === 0) ledger.push(outgoing);
        return sinceMs > OUTAGE_MS / 2 ? new Promise<never>(() => {}) : { kind: "unknown", why: "500" };
      });
      lull.channel.reconcile = async ({ to, text }) => {
        if (phase === "provider") throw error({ status: 500 });
        const at = ledger.findIndex((sent) => sent.to === to && sent.text === text);
        return at === -1 ? { kind: "not-sent" } : { kind: "sent", providerId: `SM${at + 1}` };
      };
      begunAtMs = lull.clock.nowMs();
      for (const customer of CUSTOMERS) await lull.receive(customer, "one");
      await lull.advance(OUTAGE_MS);
      phase = "provider";
      begunAtMs = lull.clock.nowMs();
      for (const customer of CUSTOMERS) await lull.receive(customer, "two");
      await lull.advance(OUTAGE_MS);
      phase = "over";
      await lull.advance(15 * MINUTE);
      await nothingNeedsAPerson();
      for (const [customer, heard] of Object.entries(toldTo(ledger))) {
        const texts = heard.split(" | ");
        expect([customer, texts.filter((text) => text === SORRY).length]).toEqual([customer, 1]);
        expect([customer, texts.filter((text) => text !== SORRY).join(" ")]).toEqual([customer, "one two"]);
        expect(texts[0]).toBe(SORRY);
      }
    },
  );
});
