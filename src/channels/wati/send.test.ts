import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outgoing, ReconcileQuery } from "../../ports/channel.ts";
import { TEST_NOW_MS, testContext } from "../../testing/channel-context.ts";
import { type FakeWati, fakeWati } from "../../testing/fake-wati.ts";
import { wati } from "./index.ts";
import { outcomeOf } from "./outcome.ts";

const HOUR = 3_600_000;
const inTime = new AbortController().signal;
const outgoing: Outgoing = {
  to: "50370000001",
  from: "50320000000",
  text: "¿Mesa para dos? & más",
  reference: { turnId: "turn.1", chunk: 2 },
  conversationId: "c_1",
};
const query: ReconcileQuery = { ...outgoing, text: "ok", notBeforeAtMs: TEST_NOW_MS, excludeProviderIds: [] };

let fake: FakeWati;
/** How far WATI's clock is ahead of ours. */
let aheadMs: number;
beforeEach(async () => {
  aheadMs = 0;
  fake = fakeWati({ token: "test-token", nowMs: () => TEST_NOW_MS + aheadMs });
  await fake.start();
});
afterEach(() => fake.stop());

function opened(token = "test-token") {
  const channel = wati({ apiUrl: `${fake.url}/100001`, token, webhookSecret: "s" });
  channel.open?.(testContext());
  return channel;
}

function reconcile(change: Partial<ReconcileQuery> = {}) {
  return opened().reconcile?.({ ...query, ...change }, inTime);
}

test("a chunk goes out as a session message under our own name for it", async () => {
  expect(await opened("Bearer test-token").send(outgoing, inTime)).toEqual({
    kind: "sent",
    providerId: "wamid.00000001",
  });
  const request = fake.requests[0];
  expect(request?.path).toBe("/100001/api/v1/sendSessionMessage/50370000001");
  expect(Object.fromEntries(request?.query ?? [])).toEqual({
    messageText: outgoing.text,
    localMessageId: "lull.turn.1.2",
    channelPhoneNumber: "50320000000",
  });
});

test("a text too long for a URL goes out as a form", async () => {
  const text = "مرحبا ".repeat(600).trim();
  expect((await opened().send({ ...outgoing, text, from: "wati" }, inTime)).kind).toBe("sent");
  expect(fake.sent[0]?.text).toBe(text);
  expect(fake.requests[0]?.query.size).toBe(0);
});

test("media goes along as links", async () => {
  const media = [{ url: "https://files.example.com/menu.pdf", contentType: "application/pdf" }];
  await opened().send({ ...outgoing, text: "El menú", media }, inTime);
  expect(fake.sent[0]?.text).toBe("El menú\nhttps://files.example.com/menu.pdf");
});

test.each<[number, object | string, string]>([
  [200, { result: "success", message: { whatsappMessageId: "w" } }, "w"],
  [200, { ok: true, message: { localMessageId: "l" } }, "l"],
  [200, { result: true, message: { id: "i" } }, "i"],
  [200, { result: "success" }, "wati-turn.1.2"],
  [200, { result: false, info: "Invalid conversation" }, "never"],
  [200, { ok: false, result: "success" }, "never"],
  [200, { result: "error", message: "ticket is expired" }, "never"],
  [200, { result: false, info: "Rate limit exceeded" }, "later"],
  [200, {}, "unknown"],
  [200, "fine", "unknown"],
  [302, "", "unknown"],
  [400, "", "never"],
  [401, "", "later"],
  [403, "", "never"],
  [404, "", "never"],
  [408, "", "unknown"],
  [429, "", "later"],
  [500, "", "unknown"],
  [502, "", "unknown"],
])("an answer %i %o means %s", (status, body, meaning) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const outcome = outcomeOf({ status, retryAfter: null, body: text }, outgoing, 0);
  const told =
    outcome.kind === "sent" ? outcome.providerId : outcome.kind === "not-sent" ? outcome.retry : outcome.kind;
  expect(told).toBe(meaning);
});

test("why WATI did not send it is kept, in one bounded line without numbers and keys", () => {
  const why = (info: unknown) => {
    const body = JSON.stringify({ result: false, info });
    const outcome = outcomeOf({ status: 200, retryAfter: null, body }, outgoing, 0);
    return outcome.kind === "not-sent" ? outcome.why : outcome.kind;
  };
  const said = "WATI answered that it did not send it (result: false";
  expect(why("Ticket has been\nexpired")).toBe(`${said}: Ticket has been expired)`);
  expect(why("no 50370000001, token eyJhbGciOiJIUzI1NiJ9.abcdef")).toBe(`${said}: no …, token …)`);
  expect(why("no ".repeat(500)).length).toBeLessThan(200);
  expect(why({ text: "hi" })).toBe(`${said})`);
});

test("a lost message is found by text and time, and only among our own", async () => {
  fake.add({ text: "ok", owner: false });
  fake.add({ text: "ok", createdAtMs: TEST_NOW_MS - 1_000 });
  fake.add({ text: "ok", waId: "50370000002" });
  expect(await reconcile()).toEqual({ kind: "not-sent" });
  const { whatsappMessageId } = fake.add({ text: "ok" });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: whatsappMessageId });
  expect(await reconcile({ excludeProviderIds: [whatsappMessageId] })).toEqual({ kind: "not-sent" });
});

test("a lost message is found by our own name, whatever its text became", async () => {
  const { whatsappMessageId } = fake.add({ text: "changed", localMessageId: "lull.turn.1.2" });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: whatsappMessageId });
});

test("pages are followed until they are older than the send, and no further than allowed", async () => {
  const { whatsappMessageId } = fake.add({ text: "ok" });
  for (let n = 0; n < 150; n++) fake.add({ text: "newer", createdAtMs: TEST_NOW_MS + n });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: whatsappMessageId });
  for (let n = 150; n < 450; n++) fake.add({ text: "newer", createdAtMs: TEST_NOW_MS + n });
  expect((await reconcile())?.kind).toBe("cannot-tell");
});

test.each([
  { kind: "error", status: 429 } as const,
  { kind: "status", status: 200, body: "{}" } as const,
  { kind: "drop" } as const,
])("an answer that cannot be used leaves the question open: %o", async (behaviour) => {
  fake.behave(() => behaviour);
  expect((await reconcile())?.kind).toBe("cannot-tell");
});

test("doctor is told whether the token is right, and that WATI does not list what it calls", async () => {
  const checked = async (token?: string) => (await opened(token).check?.(inTime)) ?? [];
  const notListed = { verdict: "skip", about: "webhook", detail: expect.stringContaining("does not tell") };
  expect(await checked()).toEqual([{ verdict: "ok", detail: "WATI accepts the token" }, notListed]);
  expect(await checked("wrong")).toEqual([
    { verdict: "fail", detail: "WATI does not accept the token (WATI_TOKEN)" },
    notListed,
  ]);
  fake.behave(() => ({ kind: "status", status: 404 }));
  expect((await checked())[0]).toMatchObject({ detail: expect.stringContaining("WATI_API_URL") });
  fake.behave(() => ({ kind: "status", status: 429 }));
  expect((await checked())[0]).toMatchObject({
    verdict: "skip",
    detail: expect.stringContaining("not tried"),
  });
});

test("media is fetched with the token from WATI and from nowhere else", async () => {
  const url = `${fake.url}/100001/api/v1/getContacts`;
  expect((await opened().fetchMedia?.({ url, contentType: "image/png" }, inTime))?.status).toBe(200);
  const elsewhere = { url: "https://files.example.com/a.png", contentType: "image/png" };
  await expect(opened().fetchMedia?.(elsewhere, inTime)).rejects.toThrow(/not at WATI/);
});

test.each([
  ["slow", HOUR],
  ["fast", -HOUR],
  ["fast by three minutes", -180_000],
])("a clock of ours that is %s finds what it sent, and nothing older", async (_, ms) => {
  aheadMs = ms;
  const notBeforeAtMs = TEST_NOW_MS - 120_000;
  fake.add({ text: "ok", createdAtMs: TEST_NOW_MS - 2 * HOUR });
  expect(await reconcile({ notBeforeAtMs })).toEqual({ kind: "not-sent" });
  const { whatsappMessageId } = fake.add({ text: "ok" });
  expect(await reconcile({ notBeforeAtMs })).toEqual({ kind: "sent", providerId: whatsappMessageId });
});

test("what a clock that is behind cannot tell from it is left open, unless it has our name", async () => {
  aheadMs = HOUR;
  const notBeforeAtMs = TEST_NOW_MS - 120_000;
  const createdAtMs = TEST_NOW_MS + HOUR / 2;
  fake.add({ text: "ok", createdAtMs });
  expect((await reconcile({ notBeforeAtMs }))?.kind).toBe("cannot-tell");
  const { whatsappMessageId } = fake.add({ text: "ok", createdAtMs, localMessageId: "lull.turn.1.2" });
  expect(await reconcile({ notBeforeAtMs })).toEqual({ kind: "sent", providerId: whatsappMessageId });
});
