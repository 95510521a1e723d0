import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { first, readForm } from "../../src/channels/twilio/form.ts";
import { outcomeOf as twilioOutcome } from "../../src/channels/twilio/outcome.ts";
import { outcomeOf as watiOutcome } from "../../src/channels/wati/outcome.ts";
import type { DeliveryStatus, InboundMessage } from "../../src/model/message.ts";
import type { RefusalCode } from "../../src/model/refusal.ts";
import type { Channel, Parsed, SendOutcome } from "../../src/ports/channel.ts";
import { TEST_NOW_MS, testContext } from "../../src/testing/channel-context.ts";
import { hold } from "./hold.ts";
import { nastyJson, nastyObject, nastyText } from "./nasty-json.ts";
import { type Delivery, forgeries, PUBLIC_URL, SENDERS, type Sender } from "./senders.ts";

function opened({ name, channel }: Sender): Channel {
  const fresh = channel();
  fresh.open?.(testContext({ name }));
  return fresh;
}

function requestOf({ target, headers, body }: Delivery) {
  return { method: "POST", url: `${PUBLIC_URL}${target}`, headers, body };
}

/** What the rest of the service relies on, whatever the channel was sent. */
function expectSound(parsed: Parsed): void {
  expectData(parsed);
  if (parsed.kind !== "updates") return;
  for (const message of parsed.messages) expectSoundMessage(message);
  for (const status of parsed.statuses) expectSoundStatus(status);
}

/** No function, no Infinity, nothing that a store would change. */
function expectData(value: unknown): void {
  if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) expectData(each);
    return;
  }
  expect(["string", "boolean", "number"]).toContain(typeof value);
  if (typeof value === "number") expect(value).toSatisfy(Number.isFinite);
}

function expectSoundMessage(message: InboundMessage): void {
  const { providerId, account, address, sender, replyTo, senderAlias = "x" } = message;
  for (const name of [providerId, account, address, sender, replyTo, senderAlias]) {
    expect(name).toEqual(expect.stringMatching(/^.+$/s));
    expect(name.isWellFormed()).toBe(true);
  }
  expect(message.text.isWellFormed()).toBe(true);
  for (const { url, contentType } of message.media)
    expect([url, contentType]).toEqual([expect.stringMatching(/./s), expect.stringMatching(/./s)]);
  if (message.sentAtMs !== undefined) expect(message.sentAtMs).toSatisfy(isWholeInstant);
  for (const value of Object.values(message.fields ?? {})) expect(typeof value).toBe("string");
}

function isWholeInstant(atMs: number): boolean {
  return Number.isInteger(atMs) && !Number.isNaN(new Date(atMs).getTime());
}

function expectSoundStatus({ account, providerId, status, chunk }: DeliveryStatus): void {
  for (const name of [account, providerId, status]) expect(name).not.toBe("");
  if (chunk !== undefined) expect(Number.isSafeInteger(chunk.chunk)).toBe(true);
}

describe.each(SENDERS.map((sender) => [sender.name, sender] as const))("%s", (name, sender) => {
  const target = sender.suffix.map((suffix) => `/webhooks/${name}${suffix}`);

  test("reads whatever comes, twice in the same way, and passes on only what is sound", () =>
    hold(
      fc.property(target, sender.body, nastyText, (at, body, contentType) => {
        for (const headers of [{}, { "content-type": contentType }, { "content-type": "application/json" }]) {
          const request = requestOf({ target: at, body, headers });
          const parsed = opened(sender).parse(request);
          expectSound(parsed);
          expect(opened(sender).parse(request)).toEqual(parsed);
        }
      }),
      { share: 2 },
    ));

  test.skipIf(sender.prove === undefined)("believes a caller that has the secret, and no other", () =>
    hold(
      fc.asyncProperty(target, sender.body, nastyText, async (at, body, noise) => {
        const channel = opened(sender);
        const proven = sender.prove?.(at, body);
        if (proven) expect(await channel.verify(requestOf(proven))).toEqual({ kind: "authentic" });
        for (const forged of forgeries(sender, at, body, noise))
          expect(await channel.verify(requestOf(forged))).toMatchObject({ kind: "refused" });
      }),
      { share: 2 },
    ),
  );

  test("answers in its provider's way, whatever there is to say", () =>
    hold(
      fc.property(summary, (given) => {
        const { status, headers, body } = opened(sender).answer(given);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status < 500 || given.code === "STORE_UNAVAILABLE" || given.code === "ROUTE_NOT_FOUND").toBe(
          true,
        );
        for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/);
        if (headers["content-type"]?.includes("xml")) expect(body).toMatch(WELL_FORMED_TWIML);
        else expect(JSON.parse(body)).toMatchObject({ ok: given.code === undefined });
      }),
    ));
});

const CODES: RefusalCode[] = [
  "INVALID_SIGNATURE",
  "INVALID_PAYLOAD",
  "PAYLOAD_TOO_LARGE",
  "MESSAGE_TOO_LARGE",
  "CONVERSATION_NOT_FOUND",
  "PROJECT_INACTIVE",
  "CHANNEL_NOT_ALLOWED",
  "CONVERSATION_LOCKED",
  "ROUTE_NOT_FOUND",
  "RATE_LIMITED",
  "STORE_UNAVAILABLE",
];
const summary = fc.record(
  {
    code: fc.constantFrom(...CODES),
    detail: nastyText,
    busyText: nastyText,
    retryAfterSeconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
    conversationId: nastyText,
  },
  { requiredKeys: [] },
);
/** Only escaped text, and only characters that XML 1.0 can carry. */
const PLAIN =
  /[\t\n\r\u0020-\u0025\u0027-\u003b\u003d\u003f-\ud7ff\ue000-\ufffd]|[\ud800-\udbff][\udc00-\udfff]/;
const ESCAPED = /&(amp|lt|gt|quot|apos);/;
const WELL_FORMED_TWIML = new RegExp(
  `^<\\?xml version="1.0" encoding="UTF-8"\\?><Response` +
    `(/>|><Message>(${PLAIN.source}|${ESCAPED.source})*</Message></Response>)$`,
);

test("a form has every pair of the body, in its order", () =>
  hold(
    fc.property(fc.array(fc.tuple(nastyText, nastyText), { maxLength: 10 }), (pairs) => {
      const body = Buffer.from(new URLSearchParams(pairs).toString());
      const form = readForm({ method: "POST", url: "", headers: {}, body });
      const read = [...form].flatMap(([key, values]) => values.map((value) => [key, value]));
      const sent = pairs.map((pair) => pair.map((part) => part.toWellFormed()));
      expect(read.toSorted()).toEqual(sent.toSorted());
      for (const [key] of sent) expect(first(form, key!)).toBe(sent.find((pair) => pair[0] === key)?.[1]);
    }),
  ));

test("a form of any bytes is read as every other reader of forms has it", () =>
  hold(
    fc.property(
      fc.array(fc.constantFrom(..."a=&+%2f%e9%zzé 😀".split(""), "%C3%A9", "%ff", "&&", "=&")),
      (parts) => {
        const body = Buffer.from(`x${parts.join("")}`);
        const read = readForm({ method: "POST", url: "", headers: {}, body });
        const pairs = [...new URLSearchParams(body.toString())];
        const grouped = Map.groupBy(pairs, ([key]) => key);
        expect([...read]).toEqual([...grouped].map(([key, same]) => [key, same.map(([, value]) => value)]));
      },
    ),
  ));

const status = fc.integer({ min: 100, max: 599 });
const retryAfter = fc.oneof(
  fc.constantFrom(null, "", "1", "1e999", "Infinity", "-5", "Sun, 15 Nov 2026 05:00:05 GMT", "soon"),
  nastyText,
);
const answerBody = fc.oneof(
  nastyText,
  nastyJson,
  nastyObject({
    sid: fc.uuid(),
    code: fc.constantFrom(20429, 63016),
    result: fc.constantFrom(true, false, "success", "error"),
    ok: fc.boolean(),
    message: fc.record({ whatsappMessageId: fc.uuid() }),
    info: fc.constantFrom("rate limit", "no"),
  }),
);

function expectSoundOutcome(outcome: SendOutcome): void {
  expectData(outcome);
  if (outcome.kind === "sent") expect(outcome.providerId).toMatch(/^.+$/s);
  if (outcome.kind === "not-sent" && outcome.retryAfterMs !== undefined) {
    expect(outcome.retryAfterMs).toBeGreaterThanOrEqual(0);
    expect(new Date(TEST_NOW_MS + outcome.retryAfterMs).getTime()).not.toBeNaN();
  }
}

test("whatever a provider answers to a send is an outcome, and a doubtful one is never a refusal", () =>
  hold(
    fc.property(status, retryAfter, answerBody, (code, after, body) => {
      const reference = { turnId: "t", chunk: 0 };
      const outgoing = { to: "1", from: "2", text: "hi", reference, conversationId: "c" };
      const outcomes = [
        twilioOutcome(code, after, body, TEST_NOW_MS),
        watiOutcome({ status: code, retryAfter: after, body }, outgoing, TEST_NOW_MS),
      ];
      for (const outcome of outcomes) {
        expectSoundOutcome(outcome);
        if (code >= 500) expect(outcome.kind).toBe("unknown");
      }
    }),
    { share: 3 },
  ));
