import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { InboundMessage } from "../../model/message.ts";
import { TEST_NOW_MS, testContext, testRequest } from "../../testing/channel-context.ts";
import {
  type FakeWati,
  type FakeWatiMessage,
  type FakeWatiOptions,
  fakeWati,
} from "../../testing/fake-wati.ts";
import { type WatiOptions, wati } from "./index.ts";

const inTime = AbortSignal.timeout(30_000);
const [ANA, BEN, NUMBER] = ["50370000001", "50370000002", "50320000000"];
const SINCE_MS = TEST_NOW_MS - 3_600_000;

let fake: FakeWati;
let slept: number[] = [];
const start = async (options: FakeWatiOptions = {}) => {
  fake = fakeWati({ token: "test-token", nowMs: () => TEST_NOW_MS, ...options });
  await fake.start();
};
beforeEach(async () => {
  slept = [];
  await start();
});
afterEach(() => fake.stop());

function opened(options: WatiOptions = {}) {
  const given = { token: "test-token", webhookSecret: "test-wati-secret", numbers: NUMBER, ...options };
  const channel = wati({ apiUrl: `${fake.url}/100001`, ...given });
  let nowMs = TEST_NOW_MS;
  const sleep = async (ms: number) => {
    slept.push(ms);
    nowMs += ms;
  };
  channel.open?.(testContext({ nowMs: () => nowMs, sleep }));
  return channel;
}

/** What was listed until the end, or until the error. */
async function listed(options?: WatiOptions): Promise<{ found: InboundMessage[]; error?: Error }> {
  const found: InboundMessage[] = [];
  try {
    for await (const each of opened(options).listReceived?.(SINCE_MS, inTime) ?? [])
      if (each !== "asking") found.push(each);
    return { found };
  } catch (error) {
    return { found, error: error as Error };
  }
}

const receive = (message: Partial<FakeWatiMessage>) =>
  fake.add({ waId: ANA, owner: false, createdAtMs: TEST_NOW_MS, ...message });
const asked = (path: string) => fake.requests.filter((request) => request.path.includes(path)).length;

test("what customers wrote since then is listed, each one's oldest first, and nothing else", async () => {
  receive({ text: "before", createdAtMs: SINCE_MS - 1 });
  receive({ text: "first", createdAtMs: SINCE_MS });
  receive({ text: "second" });
  receive({ text: "third, within the same moment" });
  fake.add({ waId: ANA, text: "our answer" });
  receive({ text: "a ticket", listed: { eventType: "ticket" } });
  receive({ text: "a note", listed: { eventType: undefined, owner: undefined } });
  receive({ waId: BEN, text: "hi from Ben" });
  const { found, error } = await listed();
  expect(error).toBeUndefined();
  const textsOf = (waId: string) => found.filter(({ sender }) => sender === waId).map(({ text }) => text);
  expect(textsOf(ANA)).toEqual(["first", "second", "third, within the same moment"]);
  expect(textsOf(BEN)).toEqual(["hi from Ben"]);
  expect(found).toHaveLength(4);
});

test("a listed message is what its webhook would have brought, under the same id", async () => {
  const data = "https://wati.example/100001/api/file/showFile?fileName=data/images/menu.png";
  const { id, whatsappMessageId } = receive({
    text: "look",
    listed: { type: "image", data, bsuid: "SV.100000000001", replyContextId: "wamid.Q", listReply: null },
  });
  const body = JSON.stringify({
    eventType: "message",
    id,
    whatsappMessageId,
    waId: ANA,
    channelPhoneNumber: NUMBER,
    text: "look",
    type: "image",
    data,
    bsuid: "SV.100000000001",
    replyContextId: "wamid.Q",
    owner: false,
    created: new Date(TEST_NOW_MS).toISOString(),
  });
  const parsed = await opened().parse(testRequest("https://bot.example.com/webhooks/wati", body));
  const { found } = await listed();
  expect(parsed).toMatchObject({ kind: "updates", messages: found });
  expect(found).toMatchObject([
    { providerId: whatsappMessageId, sender: "SV.100000000001", senderAlias: ANA },
  ]);
});

test("a contact without a number is asked for by its user id", async () => {
  fake.addContact({ bsuid: "SV.100000000009" });
  receive({ waId: "SV.100000000009", text: "who am I?" });
  const { found } = await listed();
  expect(found).toMatchObject([{ sender: "SV.100000000009", replyTo: "SV.100000000009" }]);
});

describe("pages", () => {
  test.each([
    ["as long as asked for", {}],
    ["shorter than asked for", { pageSizeMax: 20 }],
    ["that do not say which comes next", { linkless: true }],
    ["that are short and do not say it either", { pageSizeMax: 20, linkless: true }],
  ])("are read to their end: %s", async (_, options) => {
    await fake.stop();
    await start(options);
    for (let n = 0; n < 130; n++) receive({ text: String(n), createdAtMs: SINCE_MS + n });
    for (let n = 0; n < 130; n++) receive({ waId: `5037100${n}`, text: "hi" });
    const { found, error } = await listed();
    expect(error).toBeUndefined();
    expect(found.filter(({ sender }) => sender === ANA).map(({ text }) => text)).toEqual(
      Array.from({ length: 130 }, (__, n) => String(n)),
    );
    expect(new Set(found.map(({ sender }) => sender)).size).toBe(131);
  });

  test("are left where all that follows is older, and a short one is the last", async () => {
    for (let n = 0; n < 300; n++) receive({ createdAtMs: SINCE_MS - 400 + n });
    receive({ text: "new" });
    receive({ waId: BEN, text: "old", createdAtMs: SINCE_MS - 1 });
    expect((await listed()).found.map(({ text }) => text)).toEqual(["new"]);
    expect([asked(`getMessages/${ANA}`), asked(`getMessages/${BEN}`)]).toEqual([1, 1]);
  });

  test("without an end, or that come again and again, are an error", async () => {
    await fake.stop();
    await start({ pageSizeMax: 10, linkless: true });
    for (let n = 0; n < 501; n++) receive({ text: String(n) });
    expect((await listed()).error?.message).toContain("messages of a customer has more than 50 pages");
    fake.behave(() => ({
      kind: "status",
      status: 200,
      body: JSON.stringify({ contact_list: Array.from({ length: 10 }, () => ({ wAid: ANA })) }),
    }));
    expect((await listed()).error?.message).toContain("the same page of contacts again and again");
  });
});

describe("WATI allows ten requests in ten seconds", () => {
  test("and is asked for eight", async () => {
    for (let n = 0; n < 9; n++) receive({ waId: `5037100${n}`, text: "hi" });
    expect((await listed()).found).toHaveLength(9);
    expect(slept).toEqual(Array.from({ length: 9 }, () => 1_250));
  });

  test.each([
    ["for as long as it says", { retryAfterSeconds: 7 }, 7_000],
    ["for no longer than a minute", { retryAfterSeconds: 7_000 }, 60_000],
    ["for ten seconds, where it does not say", {}, 10_000],
  ])("after too many it is left alone %s, and asked again", async (_, more, waitMs) => {
    receive({ text: "hi" });
    let count = 0;
    fake.behave(() => (++count < 3 ? { kind: "error", status: 429, ...more } : { kind: "ok" }));
    expect((await listed()).found).toHaveLength(1);
    expect(slept).toEqual([waitMs, waitMs, 1_250]);
  });

  test("and one that goes on refusing is given up, with what came before", async () => {
    receive({ waId: ANA, text: "hi", createdAtMs: TEST_NOW_MS });
    receive({ waId: BEN, text: "hi", createdAtMs: TEST_NOW_MS - 1 });
    fake.behave(({ path }) => (path.endsWith(BEN) ? { kind: "error", status: 503 } : { kind: "ok" }));
    const { found, error } = await listed();
    expect(found.map(({ sender }) => sender)).toEqual([ANA]);
    expect(error).toMatchObject({ retry: "later", message: expect.stringContaining("WATI answered 503") });
    expect(asked(`getMessages/${BEN}`)).toBe(5);
  });
});

describe("half a list is an error, never a shorter list:", () => {
  test.each<[string, Partial<FakeWatiMessage>["listed"]]>([
    ["lacks the id by which webhooks know a message", { whatsappMessageId: null }],
    ["does not say when a message was written", { created: null, timestamp: null }],
    ["does not say who wrote a message (owner)", { owner: null }],
  ])("WATI's list %s", async (words, item) => {
    receive({ text: "hi", ...(item && { listed: item }) });
    const { found, error } = await listed();
    expect(found).toEqual([]);
    expect(error).toMatchObject({ retry: "never", message: expect.stringContaining(words) });
  });

  test.each([
    ["no JSON", "<html>"],
    ["no list", '{"result":"success"}'],
    ["a list that is none", '{"contact_list":{}}'],
    ["a no", '{"result":false,"info":"50370000001"}'],
    ["a contact that is nobody", '{"contact_list":[{"fullName":"Ana"}]}'],
  ])("%s", async (_, body) => {
    fake.behave(() => ({ kind: "status", status: 200, body }));
    const { error } = await listed();
    expect(error).toMatchObject({ code: "INCOMPLETE_LIST", retry: "never" });
    expect(error?.message).not.toMatch(/Ana|5037/);
  });

  test("a token that is not accepted", async () => {
    expect((await listed({ token: "wrong" })).error).toMatchObject({
      retry: "never",
      message: expect.stringContaining("does not accept the token"),
    });
  });

  test.each([
    ["none", ""],
    ["several", `${NUMBER}, 50320000009`],
  ])("which number was written to, where the list does not say it and there are %s", async (_, numbers) => {
    receive({ text: "hi" });
    expect((await listed({ numbers })).error?.message).toContain("which of your numbers was written to");
    fake.add({
      waId: BEN,
      owner: false,
      createdAtMs: TEST_NOW_MS + 1,
      listed: { channelPhoneNumber: NUMBER },
    });
    expect((await listed({ numbers })).found).toMatchObject([{ sender: BEN, address: NUMBER }]);
  });

  test("more contacts than can be asked for", async () => {
    for (let n = 0; n < 5_001; n++) fake.addContact({ wAid: String(50_371_000_000 + n) });
    receive({ text: "hi" });
    const nothing = '{"messages":{"items":[]}}';
    fake.behave(({ path }) =>
      path.includes("/getMessages/5037100") ? { kind: "status", status: 200, body: nothing } : { kind: "ok" },
    );
    expect((await listed()).error?.message).toContain("more than 5000 contacts");
  });
});
