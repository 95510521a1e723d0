import { afterEach, describe, expect, it } from "vitest";
import { LullError } from "../errors.ts";
import type { LogFields } from "../model/log.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";

const TEXT = "my card is 4000 1234 5678 9010";
const SENDER = "+15550101";

let lull: TestLull;
let told: { readonly event: string; readonly fields: LogFields }[];
afterEach(() => lull.stop());

function open(config: Partial<TestLullConfig>): TestLull {
  told = [];
  lull = testLull({
    window: { seconds: 10 },
    respond: () => "your card is fine, thank you",
    log: (_level, event, fields = {}) => void told.push({ event, fields }),
    limits: { attemptsMax: 2, retryForSeconds: 30 },
    ...config,
  });
  return lull;
}

/** She writes, and time passes until the last attempt is over. */
async function write(): Promise<void> {
  await lull.receive(SENDER, TEXT);
  await lull.advance(180_000);
}

async function reasons(): Promise<string[]> {
  const { inspector } = await lull.service.engine();
  return (await inspector.dead({ limit: 10 })).items.map(({ reason }) => reason);
}

const ofTurn = (event: string) =>
  told.filter((each) => each.event === event).map(({ fields }) => fields.reason);

function expectNothingOf(...texts: string[]): void {
  const lines = told.map((line) => JSON.stringify(line));
  expect(lines.filter((line) => texts.some((text) => line.includes(text)))).toEqual([]);
}

class OrderError extends Error {
  override readonly name = "OrderError";
  readonly code = "E_ORDER";
}

describe("what a responder throws", () => {
  it("is whole in the dead letter; the log has its name, its code and its place", async () => {
    open({
      respond: ({ text }) => {
        throw new OrderError(`no order in "${text}"`);
      },
    });
    await write();
    expect(await reasons()).toEqual([`OrderError: no order in "${TEXT}"`]);
    expectNothingOf("card", "5678 9010", SENDER);
    const tried = /^OrderError E_ORDER at quoted-errors\.test\.ts:\d+:\d+: its words are in the dead letter/;
    expect(ofTurn("turn.retry")).toEqual([expect.stringMatching(tried)]);
    expect(ofTurn("turn.dead")).toEqual([expect.stringMatching(tried)]);
  });

  it.each([
    ["a message that looks like a stack", (text: string) => new Error(`x\n    at ${text}:1:1`)],
    ["a parser's error", (text: string) => parsing(`{"text": ${text}`)],
    ["words instead of an error", (text: string) => text],
    [
      "a name that is a text",
      (text: string) => Object.assign(new Error("x"), { name: text, code: text, status: text }),
    ],
    [
      "a made-up stack",
      (text: string) => Object.assign(new Error("x"), { stack: `Error: x\n at ${text}:1:1)` }),
    ],
    [
      "words of ours that repeat it",
      (text: string) => new LullError(`cannot read ${text}`, { code: "NO", retry: "later", outage: false }),
    ],
    [
      "words of ours with a piece of it",
      (text: string) =>
        new LullError(`CARD-IS-4000-${text.slice(13, 17)} is wrong`, { code: "NO", retry: "never" }),
    ],
  ])("stays out of the log as %s", async (_, thrown) => {
    open({
      respond: ({ text }) => {
        throw thrown(text);
      },
    });
    await write();
    expect(await reasons()).toHaveLength(1);
    expectNothingOf("my card", "5678 9010", "CARD-IS", SENDER);
  });

  it("is told in words of ours where they repeat nothing", async () => {
    open({
      respond: () => {
        throw new LullError("the shop is closed", { code: "CLOSED", retry: "never" });
      },
    });
    await write();
    expect(ofTurn("turn.dead")).toEqual(["CLOSED: the shop is closed"]);
  });

  it("stays out of the log when a later look makes the dead letter", async () => {
    open({
      respond: ({ text }) => {
        throw new LullError(`away: ${text}`, { code: "AWAY", retry: "later" });
      },
    });
    await write();
    expect(await reasons()).toEqual([`AWAY: away: ${TEXT}`]);
    expectNothingOf("my card");
  });
});

describe("what a channel says that could not send", () => {
  it.each([
    [
      "an error that it throws",
      () => Promise.reject(new TypeError(`cannot send "your card is fine" to ${SENDER}`)),
    ],
    [
      "a reason with the reply",
      ({ text }: { text: string }) =>
        ({ kind: "not-sent", retry: "later", why: `not sent: ${text}` }) as const,
    ],
    [
      "a reason with the address",
      ({ to }: { to: string }) => ({ kind: "not-sent", retry: "never", why: `no route to ${to}` }) as const,
    ],
    [
      "a doubt with the reply",
      ({ text }: { text: string }) => ({ kind: "unknown", why: `lost: ${text}` }) as const,
    ],
  ])("stays out of the log: %s", async (_, send) => {
    open({ onUnknown: "hold" });
    lull.channel.behave(send);
    lull.channel.reconcile = async ({ text }) => {
      throw new Error(`not in the list: ${text}`);
    };
    await write();
    expect([...ofTurn("turn.retry"), ...ofTurn("turn.dead")]).not.toEqual([]);
    expectNothingOf("card", SENDER);
  });

  it("is told where it repeats nothing", async () => {
    open({});
    lull.channel.behave(() => ({ kind: "not-sent", retry: "never", why: "the provider answered 400" }));
    await write();
    expect(ofTurn("turn.dead")).toEqual(["NOT_SENT: the provider answered 400"]);
  });
});

it("a webhook whose body cannot be parsed is told without it", async () => {
  open({});
  lull.channel.parse = ({ body }) => parsing(body.toString()) as never;
  const answer = await lull.service.receive("test", {
    method: "POST",
    url: "",
    headers: {},
    body: Buffer.from(TEXT),
  });
  expect(answer.status).toBe(503);
  expect(ofTurn("webhook.failed")).toEqual([expect.stringMatching(/^SyntaxError/)]);
  expectNothingOf("my card");
});

function parsing(text: string): unknown {
  return JSON.parse(text);
}
