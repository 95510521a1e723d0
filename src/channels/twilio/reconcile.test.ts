import { afterEach, beforeEach, expect, test } from "vitest";
import type { ReconcileQuery } from "../../ports/channel.ts";
import { TEST_NOW_MS, testContext } from "../../testing/channel-context.ts";
import { type FakeTwilio, fakeTwilio } from "../../testing/fake-twilio.ts";
import { twilio } from "./index.ts";
import type { TwilioOptions } from "./options.ts";

const accountSid = "AC00000000000000000000000000000001";
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const query: ReconcileQuery = {
  to: "whatsapp:+50370000001",
  from: "+14155238886",
  text: "ok",
  reference: { turnId: "turn-1", chunk: 0 },
  conversationId: "c_1",
  notBeforeAtMs: TEST_NOW_MS,
  excludeProviderIds: [],
};

let fake: FakeTwilio;
/** How far Twilio's clock is ahead of ours. */
let aheadMs: number;
beforeEach(async () => {
  aheadMs = 0;
  fake = fakeTwilio({ nowMs: () => TEST_NOW_MS + aheadMs });
  await fake.start();
});
afterEach(() => fake.stop());

function reconcile(change: Partial<ReconcileQuery> = {}, options: TwilioOptions = {}) {
  const channel = twilio.whatsapp({ accountSid, authToken: "token", apiUrl: fake.url, ...options });
  channel.open?.(testContext());
  return channel.reconcile?.({ ...query, ...change }, new AbortController().signal);
}

test("a message that still waits in Twilio's queue is found", async () => {
  const { sid } = fake.add({ body: "ok" });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: sid });
});

test("a message of the same second is not too old, one of the second before is", async () => {
  fake.add({ body: "ok", createdAtMs: TEST_NOW_MS - SECOND });
  expect(await reconcile()).toEqual({ kind: "not-sent" });
  const { sid } = fake.add({ body: "ok", createdAtMs: TEST_NOW_MS - 200 });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: sid });
});

test.each([
  ["slow", HOUR],
  ["fast", -HOUR],
  ["fast by three minutes", -180 * SECOND],
])("a clock of ours that is %s finds what it sent, and nothing older", async (_, ms) => {
  aheadMs = ms;
  const notBeforeAtMs = TEST_NOW_MS - 120 * SECOND;
  fake.add({ body: "ok", createdAtMs: TEST_NOW_MS - 2 * HOUR });
  expect(await reconcile({ notBeforeAtMs })).toEqual({ kind: "not-sent" });
  const { sid } = fake.add({ body: "ok" });
  expect(await reconcile({ notBeforeAtMs })).toEqual({ kind: "sent", providerId: sid });
});

test("what a clock that is behind, or was set back, cannot tell from it is left open", async () => {
  aheadMs = HOUR;
  fake.add({ body: "ok", createdAtMs: TEST_NOW_MS + HOUR / 2 });
  const notBeforeAtMs = TEST_NOW_MS - 120 * SECOND;
  expect((await reconcile({ notBeforeAtMs }))?.kind).toBe("cannot-tell");
  expect(await reconcile({ notBeforeAtMs, text: "other words" })).toEqual({ kind: "not-sent" });
});

test("a clock that was set back since the send finds what it sent", async () => {
  aheadMs = HOUR;
  const { sid } = fake.add({ body: "ok" });
  expect(await reconcile({ notBeforeAtMs: TEST_NOW_MS + HOUR - 120 * SECOND })).toEqual({
    kind: "sent",
    providerId: sid,
  });
});

test("other texts, other customers, other numbers and TwiML replies do not match", async () => {
  fake.add({ body: "OK" });
  fake.add({ body: "ok", to: "whatsapp:+50370000002" });
  fake.add({ body: "ok", from: "whatsapp:+15550102" });
  fake.add({ body: "ok", direction: "outbound-reply" });
  fake.add({ body: "ok", direction: "inbound" });
  expect(await reconcile()).toEqual({ kind: "not-sent" });
});

test("of several, the oldest that is not another chunk's is it", async () => {
  const [first, second] = [0, 1, 2].map((n) =>
    fake.add({ body: "ok", createdAtMs: TEST_NOW_MS + n * SECOND }),
  );
  expect(await reconcile()).toEqual({ kind: "sent", providerId: first?.sid });
  expect(await reconcile({ excludeProviderIds: [first?.sid ?? ""] })).toEqual({
    kind: "sent",
    providerId: second?.sid,
  });
});

test("the words that a trial account adds do not hide a message", async () => {
  const { sid } = fake.add({ body: "Sent from your Twilio trial account - ok" });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: sid });
});

test("pages are followed until they are older than the send", async () => {
  for (let n = 0; n < 150; n++) fake.add({ body: "old", createdAtMs: TEST_NOW_MS - (200 - n) * SECOND });
  const { sid } = fake.add({ body: "ok" });
  for (let n = 0; n < 150; n++) fake.add({ body: "newer", createdAtMs: TEST_NOW_MS + n * SECOND });
  expect(await reconcile()).toEqual({ kind: "sent", providerId: sid });
  expect(await reconcile({ text: "absent" })).toEqual({ kind: "not-sent" });
  expect(fake.requests.map((request) => request.query.get("Page"))).toEqual([null, "1", null, "1"]);
});

test("more messages than it may look through leave the question open", async () => {
  for (let n = 0; n < 501; n++) fake.add({ body: "newer", createdAtMs: TEST_NOW_MS + n * SECOND });
  expect((await reconcile())?.kind).toBe("cannot-tell");
});

test("a Messaging Service may choose another number and other characters", async () => {
  const options = { messagingServiceSid: "MG1" };
  const { sid } = fake.add({ body: "“ok”", from: "whatsapp:+15550102" });
  expect(await reconcile({ text: "“ok”" }, options)).toEqual({ kind: "sent", providerId: sid });
  expect((await reconcile({ text: '"ok"' }, options))?.kind).toBe("cannot-tell");
});

test.each([
  { kind: "error", status: 500, code: 20500 } as const,
  { kind: "error", status: 401, code: 20003 } as const,
  { kind: "status", status: 200, body: "<html>" } as const,
  { kind: "status", status: 200, body: "{}" } as const,
  { kind: "status", status: 200, body: '{"messages":[{"sid":"SM1"}]}' } as const,
  { kind: "drop" } as const,
])("an answer that cannot be used leaves the question open: %o", async (behaviour) => {
  fake.behave(() => behaviour);
  expect((await reconcile())?.kind).toBe("cannot-tell");
});

test("an entry without a date does not hide ours beside it, nor is it taken for another text's", async () => {
  const listed = (...entries: object[]) =>
    fake.behave(() => ({ kind: "status", status: 200, body: JSON.stringify({ messages: entries }) }));
  const ours = {
    sid: "SM1",
    direction: "outbound-api",
    to: query.to,
    body: "ok",
    // The fake's answer bears the machine's date here; this date is later, whenever the test runs.
    date_created: "Thu, 01 Jan 2099 00:00:00 +0000",
  };
  listed({ ...ours, sid: "SM2", date_created: null }, ours);
  expect(await reconcile({ text: "ok" })).toEqual({ kind: "sent", providerId: "SM1" });
  listed({ ...ours, date_created: null, body: "something else" });
  expect(await reconcile({ text: "ok" })).toEqual({ kind: "not-sent" });
  listed({ ...ours, date_created: null });
  expect((await reconcile({ text: "ok" }))?.kind).toBe("cannot-tell");
});
