import assert from "node:assert/strict";
import type { Outgoing, ReconcileQuery, SendOutcome } from "../ports/channel.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type {
  ContractProvider,
  ContractRun,
  ContractSubject,
  ProviderMood,
} from "./channel-contract-subject.ts";

/** Without it, a subject that forgets to resolve `reached` would hang a test runner that has no limit. */
const REACHED_MS_MAX = 10_000;

export const SENDING: readonly (readonly [string, ContractRun])[] = [
  ["a send that was taken is sent, under the provider's id", taken],
  ["a refused send is certainly not sent and not tried again", refused],
  ["a send that met too many others is tried again, no sooner than told", tooMany],
  ["a send that met a server error is unknown", (subject) => outcomeIs(subject, "breaks", "unknown")],
  ["a send that is never answered ends with its deadline and is unknown", unanswered],
  ["a send that could not connect is certainly not sent and is tried again", away],
  ["a send that had no time left is certainly not sent", noTimeLeft],
  ["nothing to send is not sent", nothing],
  ["a send whose answer was lost is unknown", answerLost],
];

/** Of channels whose provider can be asked what it has taken. */
export const ASKING: readonly (readonly [string, ContractRun])[] = [
  ["a send whose answer was lost is found when asked for, and no other for it", foundWhenAsked],
  ["what was never sent is not found", neverSent],
  ["a provider that cannot be asked does not make a send unsent", cannotAsk],
  ["a question that is never answered ends with its deadline and tells nothing", unansweredQuestion],
];

async function taken(subject: ContractSubject): Promise<void> {
  const outcome = await outcomeIs(subject, "accepts", "sent");
  assert.deepEqual(providerOf(subject).taken(), [outcome.kind === "sent" && outcome.providerId]);
}

async function refused(subject: ContractSubject): Promise<void> {
  const outcome = await outcomeIs(subject, "refuses", "not-sent");
  assert.equal(outcome.kind === "not-sent" && outcome.retry, "never");
}

async function tooMany(subject: ContractSubject): Promise<void> {
  const outcome = await outcomeIs(subject, "is-busy", "not-sent");
  assert.equal(outcome.kind === "not-sent" && outcome.retry, "later");
  assert.equal(outcome.kind === "not-sent" && outcome.retryAfterMs, 2_000);
}

async function unanswered(subject: ContractSubject): Promise<void> {
  const { channel, outgoing } = subject;
  const outcome = await inVain(subject, (signal) => channel.send(outgoing, signal));
  assert.equal(outcome.kind, "unknown");
  if ("why" in outcome) isDiscreet(outcome.why, outgoing);
}

async function unansweredQuestion(subject: ContractSubject): Promise<void> {
  const outcome = await inVain(subject, (signal) => asked(subject, queryOf(subject), signal));
  assert.equal(outcome.kind, "cannot-tell", "silence is no proof that nothing was sent");
}

/** Asks a provider that never answers, until the deadline. */
async function inVain<T>(subject: ContractSubject, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const provider = providerOf(subject);
  await provider.is("hangs");
  const deadline = new AbortController();
  const reached = provider.reached();
  const outcome = ask(deadline.signal);
  const patience = new AbortController();
  const silence = systemClock.sleep(REACHED_MS_MAX, patience.signal).then(() => "silence" as const);
  const first = await Promise.race([reached, outcome, silence]).finally(() => patience.abort());
  deadline.abort();
  assert.notEqual(first, "silence", "`reached` did not resolve, though the provider was asked");
  return outcome;
}

async function away(subject: ContractSubject): Promise<void> {
  const outcome = await outcomeIs(subject, "is-away", "not-sent");
  assert.equal(outcome.kind === "not-sent" && outcome.retry, "later");
}

async function noTimeLeft({ channel, outgoing, provider }: ContractSubject): Promise<void> {
  assert.equal((await channel.send(outgoing, AbortSignal.abort())).kind, "not-sent");
  assert.deepEqual(provider?.taken(), []);
}

async function nothing({ channel, outgoing }: ContractSubject): Promise<void> {
  const { media: _, ...bare } = outgoing;
  const outcome = await channel.send({ ...bare, text: " " }, inTime());
  assert.equal(outcome.kind === "not-sent" && outcome.retry, "never");
}

async function answerLost(subject: ContractSubject): Promise<void> {
  await outcomeIs(subject, "loses-its-answer", "unknown");
  assert.equal(providerOf(subject).taken().length, 1);
}

/** A channel without `reconcile` says so in its harness: what is not asked must not pass for answered. */
async function asked(subject: ContractSubject, query = queryOf(subject), signal = inTime()) {
  const { channel } = subject;
  assert.ok(channel.reconcile, "the channel has no `reconcile`: say why in `withoutReconcile`");
  return channel.reconcile(query, signal);
}

async function foundWhenAsked(subject: ContractSubject): Promise<void> {
  await outcomeIs(subject, "loses-its-answer", "unknown");
  const [providerId] = providerOf(subject).taken();
  assert.deepEqual(await asked(subject), { kind: "sent", providerId });
  // The same text may have gone out before, for another chunk.
  const excluding = { ...queryOf(subject), excludeProviderIds: [providerId ?? ""] };
  assert.deepEqual(await asked(subject, excluding), { kind: "not-sent" });
}

async function neverSent(subject: ContractSubject): Promise<void> {
  assert.equal((await asked(subject)).kind, "not-sent");
}

async function cannotAsk(subject: ContractSubject): Promise<void> {
  await providerOf(subject).is("is-away");
  assert.equal((await asked(subject)).kind, "cannot-tell");
}

async function outcomeIs(
  subject: ContractSubject,
  mood: ProviderMood,
  kind: SendOutcome["kind"],
): Promise<SendOutcome> {
  await providerOf(subject).is(mood);
  const outcome = await subject.channel.send(subject.outgoing, inTime());
  assert.equal(outcome.kind, kind, "why" in outcome ? outcome.why : "");
  if ("why" in outcome) isDiscreet(outcome.why, subject.outgoing);
  return outcome;
}

/** Reasons end up in logs and lists, so they never quote the customer. */
function isDiscreet(why: string, { to, text }: Outgoing): void {
  assert.ok(why !== "" && !why.includes(text) && !why.includes(to), `says why, and no more: ${why}`);
}

function queryOf({ outgoing }: ContractSubject): ReconcileQuery {
  return { ...outgoing, notBeforeAtMs: 0, excludeProviderIds: [] };
}

function providerOf({ provider }: ContractSubject): ContractProvider {
  assert.ok(provider !== undefined, "the harness gives a provider or says why there is none");
  return provider;
}

function inTime(): AbortSignal {
  return new AbortController().signal;
}
