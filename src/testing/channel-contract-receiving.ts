import assert from "node:assert/strict";
import { isLasting } from "../core/refusals.ts";
import type { InboundMessage } from "../model/message.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { Channel, Parsed, WebhookRequest } from "../ports/channel.ts";
import { type CallerFamily, statusOf } from "../wire/refusal-status.ts";
import type { ContractRun, ContractSubject } from "./channel-contract-subject.ts";

export const RECEIVING: readonly (readonly [string, ContractRun])[] = [
  ["a request that its provider did not make is refused, with a reason", forgeries],
  ["realistic payloads are authentic and parse", realisticPayloads],
  ["names and addresses in messages are as programs have to write them", names],
  ["a redelivery has the same dedupe key", redelivery],
  ["truncated bodies and random bytes are answered, never thrown at", garbage],
];

async function forgeries({ channel, forgeries }: ContractSubject): Promise<void> {
  for (const [name, request] of Object.entries(forgeries)) {
    const verdict = await channel.verify(request);
    assert.equal(verdict.kind, "refused", name);
    assert.ok(verdict.kind === "refused" && verdict.why !== "", `${name}: says why`);
  }
}

async function realisticPayloads({ channel, payloads }: ContractSubject): Promise<void> {
  assert.ok(Object.keys(payloads).length >= 3, "a channel is written from at least three realistic payloads");
  for (const [name, request] of Object.entries(payloads)) {
    assert.equal(channel.glance?.(request), undefined, `${name}: is worth reading`);
    assert.deepEqual(await channel.verify(request), { kind: "authentic" }, name);
    assert.ok(request.body.length <= (channel.bodyBytesMax ?? Number.POSITIVE_INFINITY), `${name}: fits`);
    const parsed = channel.parse(request);
    assert.equal(parsed.kind, "updates", `${name}: ${"why" in parsed ? parsed.why : ""}`);
    for (const message of messagesIn(parsed)) isComplete(message, name);
  }
}

/** A conversation that a program made under such a name is the one that the message finds. */
function names({ channel, payloads }: ContractSubject): void {
  const { canonical = (name: string) => name } = channel;
  const messages = Object.values(payloads).flatMap((request) => messagesIn(channel.parse(request)));
  for (const { address, sender, senderAlias, replyTo } of messages) {
    for (const name of [address, sender]) assert.equal(canonical(name), name);
    assert.ok([sender, senderAlias].includes(canonical(replyTo)), "a reply goes to a name of the sender");
  }
}

function isComplete(message: InboundMessage, name: string): void {
  for (const key of ["providerId", "account", "address", "sender", "replyTo"] as const) {
    assert.ok(typeof message[key] === "string" && message[key] !== "", `${name}: ${key} is there`);
  }
  assert.notEqual(message.sender, message.senderAlias, `${name}: an alias is another name`);
  assert.ok(message.sentAtMs === undefined || message.sentAtMs > 1_000_000_000_000, `${name}: time is in ms`);
}

function redelivery({ channel, payloads }: ContractSubject): void {
  const keys = (request: WebhookRequest) =>
    messagesIn(channel.parse(request)).map(({ account, providerId }) => [account, providerId]);
  for (const [name, request] of Object.entries(payloads))
    assert.deepEqual(keys(request), keys(request), name);
}

async function garbage({ channel, payloads }: ContractSubject): Promise<void> {
  const random = randomBytes(7);
  for (const request of Object.values(payloads)) {
    const { body } = request;
    const step = Math.max(1, Math.floor(body.length / 50));
    for (let length = 0; length < body.length; length += step) {
      await survives(channel, { ...request, body: body.subarray(0, length) });
    }
    for (let n = 0; n < 50; n++) await survives(channel, { ...request, body: random(n * 11) });
    await survives(channel, { ...request, headers: {} });
  }
}

async function survives(channel: Channel, request: WebhookRequest): Promise<void> {
  const verdict = await channel.verify(request);
  assert.ok(verdict.kind === "authentic" || verdict.kind === "refused");
  const parsed = channel.parse(request);
  assert.ok(["updates", "ignored", "invalid", "challenge"].includes(parsed.kind));
  if (parsed.kind === "invalid") assert.notEqual(parsed.why, "");
}

export function ownMessage({ channel, ownEcho }: ContractSubject): void {
  assert.ok(ownEcho !== undefined, "the harness gives an echo or says why there is none");
  const parsed = channel.parse(ownEcho);
  assert.notEqual(parsed.kind, "invalid");
  assert.deepEqual(messagesIn(parsed), []);
}

/** A record, so that a new code cannot be forgotten here. */
const CODES: Record<RefusalCode, true> = {
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

export function refusals({ channel }: ContractSubject, family: CallerFamily): void {
  assert.equal(channel.answer({}).status, 200);
  for (const code of Object.keys(CODES) as RefusalCode[]) {
    const answer = channel.answer({ code, detail: "because", retryAfterSeconds: 1.5 });
    assert.equal(answer.status, statusOf(code, family), code);
    assert.equal(answer.headers["retry-after"], "2", `${code}: whole seconds, rounded up`);
    assert.ok(answer.headers["content-type"], `${code}: has a content type`);
    // Such a message is remembered: if its caller came again, it would be lost.
    if (channel.refusesForGood && isLasting(code)) assert.equal(answer.status, 200, `${code}: is over`);
  }
  if (channel.busyTextInAnswer !== true) return;
  const { status, body } = channel.answer({ code: "CONVERSATION_LOCKED", busyText: "one moment" });
  assert.equal(status, 200);
  assert.ok(body.includes("one moment"), "the busy text is in the answer");
}

function messagesIn(parsed: Parsed): readonly InboundMessage[] {
  return parsed.kind === "updates" ? parsed.messages : [];
}

/** Random, and the same in every run, so that a failure can be repeated. */
function randomBytes(seed: number): (length: number) => Buffer {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return (length) => Buffer.from(Array.from({ length }, next));
}
