import { replySent } from "../../core/draft.ts";
import { messageId } from "../../core/identity.ts";
import type { Taken } from "../../model/take.ts";
import type { ConversationDetail } from "../../ports/inspector.ts";
import type { Service } from "../../runtime/service.ts";
import type { Evidence, Stored, Violation } from "./evidence.ts";
import type { Event, History } from "./history.ts";
import { noticesIn, noticesOf } from "./notices.ts";
import type { FaultKind, Plan } from "./plan.ts";
import type { Sent } from "./provider.ts";
import { LIMITS } from "./simulation-run.ts";

/** Polls, whole seconds and a trigger that the queue delays for a while; less than a lease. */
const LATE_MS_MAX = 5_500;

/** How long a process that sent late may take to tell. */
export const TELL_MS = 1_000;

export async function lookUp(service: Service): Promise<Stored> {
  const { inspector } = await service.engine();
  const { items } = await inspector.conversations({ limit: 100 });
  const details = await Promise.all(items.map(({ id }) => inspector.conversation(id)));
  return {
    conversations: details.filter((each) => each !== undefined),
    dead: (await inspector.dead({ limit: 100 })).items,
    unknown: (await inspector.unknown({ limit: 100 })).items,
  };
}

/** The six promises, checked on what can be seen from outside. */
export function violations(evidence: Evidence): Violation[] {
  return [
    ...healsAlone(evidence),
    ...nothingLost(evidence),
    ...oneAtATime(evidence),
    ...sentOnce(evidence),
    ...noticesIn(evidence, (sent) => isLate(evidence.history, sent) || isToldLate(evidence.history, sent)),
    ...inOrder(evidence),
    ...onTime(evidence),
    ...withoutAPerson(evidence),
    ...patient(evidence),
    ...lateIsTold(evidence),
  ];
}

/**
 * Faults that may cost a turn an attempt: its process, its lease, or an unclassified error. A responder that
 * is slow or never returns, and a store that says nothing, are outages.
 */
const COUNTED = /^(crash|freeze|clock|error|power-cut|blocks|fails$)/;

/** Outages heal without help: dead is what failed for good, or what killed its workers again and again. */
function withoutAPerson({ plan, stored }: Evidence): Violation[] {
  const found: Violation[] = [];
  const isForGood = plan.poison !== undefined || plan.faults.some(({ kind }) => kind.endsWith("for-good"));
  const counted = plan.faults.filter(({ kind }) => COUNTED.test(kind)).length;
  if (!isForGood && counted < LIMITS.attemptsMax)
    for (const { id, reason } of stored.dead)
      found.push({ promise: "heals alone", what: `dead letter ${id} needs a person: ${reason}` });
  if (plan.canReconcile)
    for (const { id } of stored.unknown)
      found.push({ promise: "heals alone", what: `send ${id} is unknown, and the provider could be asked` });
  if (plan.canReconcile && counted < 2 * LIMITS.attemptsMax)
    for (const { id, draft } of stored.dead)
      if (replySent(draft) === "unknown")
        found.push({
          promise: "once",
          what: `dead letter ${id} may have been answered: never asked`,
        });
  return found;
}

/** Twice as many questions as the shortest waits between them allow while faults last. */
const QUESTIONS_MAX = 100;

/** A provider that is away is not flooded with questions. */
function patient({ history }: Evidence): Violation[] {
  const questions = new Map<string, number>();
  for (const { turn, chunk } of history.of("asked-about")) {
    const about = `${turn}.${chunk}`;
    questions.set(about, (questions.get(about) ?? 0) + 1);
  }
  return [...questions].flatMap(([about, count]): Violation[] =>
    count > QUESTIONS_MAX
      ? [{ promise: "heals alone", what: `the provider was asked ${count} times about chunk ${about}` }]
      : [],
  );
}

/**
 * What a frozen sender sent beside another is never hidden. With a moved clock it cannot know that it was
 * late.
 */
function lateIsTold({ plan, history, endedAtMs }: Evidence): Violation[] {
  if (movesClock(plan)) return [];
  return history.of("sent").flatMap((sent): Violation[] => {
    const isTold = isToldLate(history, sent);
    const isFrozenSender =
      isLate(history, sent) && isOutranked(history, sent) && !wasCrashed(history, sent.process);
    // A send that left in time and was accepted slowly was legitimate, and is found.
    const isOnlySlow = plan.faults.some(({ kind }) => isSlow(kind));
    if (isTold || !isFrozenSender || isOnlySlow || endedAtMs < sent.atMs + TELL_MS) return [];
    return [{ promise: "once", what: `${sent.process} sent turn ${sent.turn} late, and did not tell` }];
  });
}

function isToldLate(history: History, sent: Extract<Event, { kind: "sent" }>): boolean {
  return history
    .of("told-late")
    .some(
      ({ turn, chunk, process }) => turn === sent.turn && chunk === sent.chunk && process === sent.process,
    );
}

/**
 * A newer lease was taken before it was sent. By the time of taking: a frozen taker may have heard of it long
 * after.
 */
function isOutranked(history: History, { turn, token, atMs }: Extract<Event, { kind: "sent" }>): boolean {
  const takenByThen = history.of("taken").filter(({ taken }) => taken.takenAtMs <= atMs);
  const newest = newestTake(takenByThen, turn);
  return newest !== undefined && newest.lease.token !== token;
}

function wasCrashed(history: History, process: string): boolean {
  return history.of("crashed").some((crash) => crash.process === process);
}

function movesClock(plan: Plan): boolean {
  return plan.faults.some(({ kind }) => kind.startsWith("clock"));
}

function healsAlone(evidence: Evidence): Violation[] {
  const { settled, stored } = evidence;
  const left = stored.conversations.flatMap(({ staged }) => staged.map(({ id }) => id));
  const orphans = orphansIn(evidence).map(({ count }) => ({
    promise: "heals alone" as const,
    what: `${count} orphans: staged, with no worker to look at it`,
  }));
  if (settled) return orphans;
  const what = `did not settle after the faults stopped; staged: ${left.join(", ") || "nothing"}`;
  return [...orphans, { promise: "heals alone", what }];
}

/**
 * Orphans without an excuse. A process that died between STAGE and ARM did not acknowledge: the provider
 * sends again.
 */
function orphansIn({ history, orphans }: Evidence): Extract<Event, { kind: "orphans" }>[] {
  const found = history.of("orphans");
  if (orphans === "never") return found;
  return found.filter((each) => each.count > unacknowledgedDuring(history, each).size);
}

/**
 * Customers who had a message on its way in while that sweep ran: not answered yet, or answered with an error
 * and not redelivered yet.
 */
function unacknowledgedDuring(history: History, sweep: Extract<Event, { kind: "orphans" }>): Set<string> {
  const known = history.events.slice(0, history.events.indexOf(sweep));
  const before = known.filter(({ atMs }) => atMs < sweep.sweptFromMs);
  const isDone = (delivery: number, message: string) => {
    const ended = before.findIndex(
      (event) => "delivery" in event && event.kind !== "arrived" && event.delivery === delivery,
    );
    if (before[ended]?.kind !== "unanswered") return ended !== -1;
    return before.slice(ended).some((event) => event.kind === "acknowledged" && event.message === message);
  };
  const open = known.flatMap((event) =>
    event.kind === "arrived" && !isDone(event.delivery, event.message) ? [event.customer] : [],
  );
  return new Set(open);
}

function nothingLost({ history, stored }: Evidence): Violation[] {
  const acknowledged = new Set(history.of("acknowledged").map(({ message }) => message));
  const ends = endsOf(stored);
  return [...acknowledged].flatMap((message): Violation[] => {
    const found = ends.get(messageId("sim", "a", message)) ?? [];
    if (found.length === 1) return [];
    if (found.length === 0)
      return [{ promise: "nothing lost", what: `${message} was acknowledged and is nowhere` }];
    return [{ promise: "once", what: `${message} is in ${found.join(" and ")}` }];
  });
}

/** Where every message ended: turns, dead letters, still staged. */
function endsOf({ conversations, dead }: Stored): Map<string, string[]> {
  const ends = new Map<string, string[]>();
  const add = (message: string, end: string) => ends.set(message, [...(ends.get(message) ?? []), end]);
  for (const { turns, staged } of conversations) {
    for (const { turnId, messageIds } of turns) for (const id of messageIds) add(id, `turn ${turnId}`);
    for (const { id } of staged) add(id, "staged");
  }
  for (const letter of dead) for (const { id } of letter.messages) add(id, `dead letter ${letter.id}`);
  return ends;
}

/**
 * Only the holder of the newest token sends a reply, except a sender past its time: that is told apart and
 * counted.
 */
function oneAtATime({ history, plan }: Evidence): Violation[] {
  // What left in time and arrives late was sent legitimately; what a frozen sender sends is told apart, not
  // promised.
  if (mayBeLate(plan) || plan.faults.some(({ kind }) => isSlow(kind))) return [];
  return history.of("sent").flatMap((sent): Violation[] =>
    isLate(history, sent)
      ? [
          {
            promise: "one at a time",
            what: `${sent.process} sent turn ${sent.turn} without the newest token`,
          },
        ]
      : [],
  );
}

/** Sent legitimately, and with the provider later. */
function isSlow(kind: FaultKind): boolean {
  return kind === "arrives-late" || kind === "accepts-slowly" || kind === "crash-in-flight";
}

/** Exception (b): a sender frozen past its deadline, or one whose clock was moved past it. */
function mayBeLate(plan: Plan): boolean {
  return movesClock(plan) || plan.faults.some(({ kind }) => kind.startsWith("freeze"));
}

/**
 * A newer lease was heard of before it was sent. Newer by attempt, not by hearing: the answer to an older
 * take may come after that to a newer one; and not by the time of taking, which is earlier after a clock was
 * set back.
 */
function isLate(history: History, sent: Extract<Event, { kind: "sent" }>): boolean {
  const before = history.events.slice(0, history.events.indexOf(sent));
  const newest = newestTake(before, sent.turn);
  return newest !== undefined && newest.lease.token !== sent.token;
}

function newestTake(events: readonly Event[], turn: string): Taken | undefined {
  const takesIn = (some: readonly Event[]) =>
    some.flatMap((event) => (event.kind === "taken" && event.taken.turnId === turn ? [event.taken] : []));
  const isPowerCut = (event: Event) => event.kind === "fault" && event.fault === "power-cut";
  // After a power cut, which may forget attempts, a worker counts them again.
  const since = takesIn(events.slice(events.findLastIndex(isPowerCut) + 1));
  const takes = since.length > 0 ? since : takesIn(events);
  return takes.toSorted((a, b) => a.attempt - b.attempt || a.takenAtMs - b.takenAtMs).at(-1);
}

function sentOnce({ history, ledger, stored, plan }: Evidence): Violation[] {
  const found: Violation[] = [];
  const sends = history.of("sent");
  for (const key of new Set(ledger.map(({ turnId, chunk }) => `${turnId}.${chunk}`))) {
    const same = sends.filter(({ turn, chunk }) => `${turn}.${chunk}` === key);
    const excused = mayBeLate(plan)
      ? same.filter((sent) => isLate(history, sent) || isToldLate(history, sent)).length
      : 0;
    if (same.length - excused > 1)
      found.push({ promise: "once", what: `chunk ${key} was sent ${same.length} times` });
  }
  if (plan.onUnknown === "assume-sent") return found;
  // The provider is not asked what became of one: it counts as said.
  const notices = noticesOf(history);
  for (const { turns } of stored.conversations) {
    for (const { turnId, outcome, providerIds } of turns) {
      const missing = providerIds.filter(
        (id) =>
          !ledger.some((sent) => sent.providerId === id && (sent.turnId === turnId || isCopy(sent, ledger))),
      );
      if (outcome === "replied" && !notices.has(turnId) && (missing.length > 0 || providerIds.length === 0)) {
        found.push({
          promise: "nothing lost",
          what: `turn ${turnId} says it replied, the customer got nothing`,
        });
      }
    }
  }
  return found;
}

/**
 * Sent again, late: the customer has the text once more than its turn needs. A provider's list goes by text,
 * so it counts for the next such text.
 */
function isCopy(sent: Sent, ledger: readonly Sent[]): boolean {
  return ledger.some(
    ({ providerId, turnId, chunk }) =>
      providerId !== sent.providerId && turnId === sent.turnId && chunk === sent.chunk,
  );
}

function inOrder({ history, stored, plan }: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const { turn, messages, arrivals } of history.of("asked")) {
    if (arrivals.some((at, n) => n > 0 && at < arrivals[n - 1]!)) {
      found.push({ promise: "in order", what: `turn ${turn} has ${messages.join(", ")} out of order` });
    }
  }
  // After a clock is set back, a later message has an earlier time: then no order by time is the right one.
  if (movesClock(plan)) return found;
  for (const { turns } of stored.conversations) found.push(...turnsInOrder(history, turns));
  return found;
}

/** A message acknowledged before another was even written is answered no later than the other. */
function turnsInOrder(history: History, turns: ConversationDetail["turns"]): Violation[] {
  const place = new Map(turns.flatMap(({ messageIds }, at) => messageIds.map((id) => [id, at] as const)));
  const firstSeen = new Map<string, number>();
  for (const { message, atMs } of history.of("arrived")) {
    const id = messageId("sim", "a", message);
    firstSeen.set(id, Math.min(firstSeen.get(id) ?? atMs, atMs));
  }
  const acknowledged = new Map<string, number>();
  for (const { message, atMs } of history.of("acknowledged")) {
    const id = messageId("sim", "a", message);
    if (!acknowledged.has(id)) acknowledged.set(id, atMs);
  }
  const found: Violation[] = [];
  for (const [a, placeOfA] of place) {
    for (const [b, placeOfB] of place) {
      const isEarlier = (acknowledged.get(a) ?? Number.POSITIVE_INFINITY) < (firstSeen.get(b) ?? 0);
      if (isEarlier && placeOfA > placeOfB)
        found.push({ promise: "in order", what: `${b} was answered before ${a}` });
    }
  }
  return found;
}

/** No turn starts before its time. Clock jumps move the time itself; a cut batch's rest is due at once. */
function onTime(evidence: Evidence): Violation[] {
  const { history, plan } = evidence;
  if (movesClock(plan) || plan.batchMessagesMax < 10) return [];
  const early = history.of("asked").flatMap(({ arrivals, atMs, turn }): Violation[] => {
    const dueAtMs = dueOf(plan, arrivals);
    return atMs < dueAtMs
      ? [{ promise: "on time", what: `turn ${turn} began ${dueAtMs - atMs} ms early` }]
      : [];
  });
  return [...early, ...late(evidence)];
}

function dueOf({ window }: Plan, arrivals: readonly number[]): number {
  const oldest = Math.min(...arrivals);
  if ("seconds" in window) return oldest + window.seconds * 1_000;
  const maxMs = (window.maxSeconds ?? 5 * window.quietSeconds) * 1_000;
  return Math.min(Math.max(...arrivals) + window.quietSeconds * 1_000, oldest + maxMs);
}

/**
 * On a day without a fault no turn waits for a lease to lapse or for a sweep: it begins soon after it is due,
 * and after the one before.
 */
function late({ history, plan }: Evidence): Violation[] {
  if (plan.faults.length > 0 || plan.poison !== undefined || (plan.outages ?? []).length > 0) return [];
  const sends = history.of("sent");
  const asked = history.of("asked");
  // A turn that starts over waits for the messages that made it start over.
  const begun = asked.filter(({ turn }, at) => !asked.slice(0, at).some((each) => each.turn === turn));
  return begun.flatMap(({ arrivals, atMs, turn, messages }): Violation[] => {
    const customer = customerOf(plan, messages[0]);
    const before = sends.filter(({ to, atMs: sentAtMs }) => to === customer && sentAtMs < atMs).at(-1);
    const lateMs = atMs - Math.max(dueOf(plan, arrivals), before?.atMs ?? 0);
    return lateMs > LATE_MS_MAX ? [{ promise: "on time", what: `turn ${turn} began ${lateMs} ms late` }] : [];
  });
}

function customerOf({ messages }: Plan, id: string | undefined): string {
  return `customer-${messages.find((message) => message.id === id)?.customer}`;
}
