import { describe, expect, it } from "vitest";
import type { ChunkState, Draft } from "../model/draft.ts";
import { draftOf, work as workWith } from "../testing/state-builders.ts";
import { deadLetteredWith } from "./dead-letters.ts";
import { settingsWith } from "./defaults.ts";
import type { Found, StagedItem, Taker } from "./found.ts";
import type { ConversationState, Work } from "./state.ts";
import { continuesDraft, decideTake } from "./take.ts";
import type { TakeDecision } from "./take-decision.ts";

const settings = settingsWith({});
const fixed = { kind: "fixed", lengthMs: 10_000 } as const;
const taker: Taker = {
  nowMs: 10_000,
  holder: "me",
  token: "new-token",
  turnIdOf: () => "new-turn",
  windowId: "new-window",
};
const window = { id: "old-window", dueAtMs: 10_000, wakeAtMs: 10_000 };
const conversation = { id: "c", paused: false, handedOff: false, window: fixed, updatedAtMs: 0 };

function item(id: string, given: Partial<StagedItem> = {}): StagedItem {
  return { kind: "message", id, arrivedAtMs: 0, position: 0, sequence: 0, bytes: 1, ...given };
}

const work = (given: Partial<Work> = {}) => workWith({ turnId: "old-turn", ...given });

function lease(untilAtMs: number) {
  return { token: "old-token", holder: "other", turnId: "old-turn", takenAtMs: 0, untilAtMs };
}

const draft = (state: ChunkState, given: Partial<Draft> = {}) =>
  draftOf([state], { turnId: "old-turn", ...given });

function decide(given: Partial<Found>, by: Partial<Taker> = {}, over = settings): TakeDecision {
  const found: Found = { state: { works: [], window }, staged: [item("m1")], conversation, ...given };
  return decideTake(found, { ...taker, ...by }, over);
}

function as<K extends TakeDecision["kind"]>(
  kind: K,
  decision: TakeDecision,
): Extract<TakeDecision, { kind: K }> {
  expect(decision.kind).toBe(kind);
  return decision as Extract<TakeDecision, { kind: K }>;
}

describe("the lease", () => {
  it("held by another is busy, until it lapses", () => {
    const state = { works: [work()], lease: lease(10_001) };
    expect(decide({ state })).toEqual({ kind: "busy", untilAtMs: 10_001 });
    as("turn", decide({ state: { ...state, lease: lease(10_000) } }));
  });

  it("is waited for longer by the clocks' difference", () => {
    const state = { works: [work()], lease: lease(8_001) };
    expect(decide({ state }, {}, settingsWith({ clockSkewMs: 2_000 })).kind).toBe("busy");
    expect(decide({ state }, {}, settingsWith({ clockSkewMs: 1_999 })).kind).toBe("turn");
  });

  it("that is held already goes on under it", () => {
    const state = { works: [], lease: lease(99_000) };
    const { state: after } = as("turn", decide({ state }, { underLease: true }));
    expect(after.lease?.token).toBe("new-token");
  });

  it("is taken with the taker's own token for the length of a lease", () => {
    const { state } = as("turn", decide({}));
    expect(state.lease).toEqual({
      token: "new-token",
      holder: "me",
      turnId: "new-turn",
      takenAtMs: 10_000,
      untilAtMs: 70_000,
    });
  });
});

describe("a batch", () => {
  it("that is due is a turn: disarmed, counted, with its times", () => {
    const staged = [item("m2", { arrivedAtMs: 5_000 }), item("m1")];
    const { what, work: taken, state } = as("turn", decide({ staged }));
    expect(what).toBe("batch");
    expect(state.window).toBeUndefined();
    expect(taken).toEqual({
      turnId: "new-turn",
      recordId: "c",
      messageIds: ["m1", "m2"],
      batchIds: ["m1", "m2"],
      attempts: 1,
      restarts: 0,
      openedAtMs: 0,
      dueAtMs: 10_000,
      takenAtMs: 10_000,
    });
  });

  it("that is not due yet gets a window at its due time, and no lease", () => {
    const { atMs, state } = as("later", decide({}, { nowMs: 9_999 }));
    expect(atMs).toBe(10_000);
    expect(state).toMatchObject({ window: { id: "new-window", dueAtMs: 10_000, wakeAtMs: 10_000 } });
    expect(state.lease).toBeUndefined();
  });

  it("of nothing is nothing", () => {
    expect(decide({ staged: [] })).toEqual({ kind: "nothing" });
    expect(decide({ staged: [], conversation: undefined })).toEqual({ kind: "nothing" });
  });

  it("without a conversation is dead-lettered, whole", () => {
    const staged = [item("m1"), item("o1", { kind: "outbound" })];
    const decision = as(
      "dead-letter",
      decide({ staged, conversation: undefined, state: { works: [work()], window } }),
    );
    expect(decision).toMatchObject({
      messageIds: ["m1", "o1"],
      turnId: undefined,
      attempts: 0,
      reason: "CONVERSATION_NOT_FOUND",
    });
    expect(decision.state.works).toEqual([]);
  });

  it("in a second try keeps its turn, counts on, and takes newer messages along uncounted", () => {
    const staged = [item("m1"), item("m2", { sequence: 1 })];
    const { work: taken } = as("turn", decide({ staged, state: { works: [work()], lease: lease(0) } }));
    expect(taken).toMatchObject({
      turnId: "old-turn",
      attempts: 2,
      messageIds: ["m1"],
      batchIds: ["m1", "m2"],
    });
  });

  it("of which a part was answered meanwhile is the same batch still", () => {
    const state = {
      works: [work({ messageIds: ["m1", "m2"], batchIds: ["m1", "m2"], attempts: 2 })],
      window,
    };
    const { work: again } = as("turn", decide({ state, staged: [item("m2"), item("m3")] }));
    expect(again).toMatchObject({ turnId: "old-turn", attempts: 3 });
  });

  it("whose tries were not counted counts every message that joined from now on", () => {
    const staged = [item("m1"), item("m2", { sequence: 1 })];
    const works = [work({ attempts: 0, restarts: 1 })];
    const { work: taken } = as("turn", decide({ staged, state: { works } }));
    expect(taken).toMatchObject({ attempts: 1, restarts: 1, messageIds: ["m1", "m2"] });
  });

  it("that met an outage keeps its own count: a message that joins has its own", () => {
    const staged = [item("m1"), item("m2", { sequence: 1 })];
    const works = [work({ attempts: 2, outages: 2, failingSinceAtMs: 5 })];
    const { work: taken } = as("turn", decide({ staged, state: { works } }));
    expect(taken).toMatchObject({
      attempts: 3,
      outages: 2,
      failingSinceAtMs: 5,
      messageIds: ["m1"],
      batchIds: ["m1", "m2"],
    });
  });

  it("that could not be tried when its time had come: the wait does not count as failing", () => {
    const failed = { works: [work({ attempts: 9, outages: 9, failingSinceAtMs: 2_000 })], window };
    const sinceAt = (nowMs: number, notBeforeAtMs?: number) =>
      as("turn", decide({ state: { ...failed, notBeforeAtMs } }, { nowMs })).work.failingSinceAtMs;
    expect(sinceAt(12_000, 12_000)).toBe(2_000);
    expect(sinceAt(90_000_000, 12_000)).toBe(90_000_000 - 10_000);
    expect(sinceAt(90_000_000)).toBe(2_000);
    // A clock that was set back in between.
    expect(sinceAt(12_000, 1_000)).toBe(12_000);
  });

  it("backing off waits its time, and is due then", () => {
    const state = { works: [work()], window, notBeforeAtMs: 12_000 };
    expect(as("later", decide({ state })).atMs).toBe(12_000);
    const { state: after } = as("turn", decide({ state }, { nowMs: 12_000 }));
    expect(after.notBeforeAtMs).toBeUndefined();
  });

  it("out of attempts is dead-lettered with its last reason, and the rest is looked at again", () => {
    const works = [work({ attempts: settings.attemptsMax, lastError: "overloaded" })];
    const state = { works, window, notBeforeAtMs: 99_000 };
    const decision = as("dead-letter", decide({ state }));
    expect(decision).toMatchObject({
      messageIds: ["m1"],
      turnId: "old-turn",
      attempts: 5,
      reason: "overloaded",
    });
    expect(decision.state).toMatchObject({ works: [], notBeforeAtMs: undefined });
    as(
      "turn",
      decide(
        { state: { ...state, works: [work({ attempts: settings.attemptsMax - 1 })] } },
        { nowMs: 99_000 },
      ),
    );
  });

  it("that left no error died with its worker", () => {
    const works = [work({ attempts: settings.attemptsMax })];
    expect(as("dead-letter", decide({ state: { works } })).reason).toMatch(/died/);
  });

  it("cut by a limit leaves the rest due at once", () => {
    const limits = settingsWith({ batchMessagesMax: 1 });
    const staged = [item("m1"), item("m2", { arrivedAtMs: 9_000 })];
    const { state } = as("turn", decide({ staged }, {}, limits));
    expect(state.leftBehindAtMs).toBe(10_000);
    const rest = { staged: staged.slice(1), state: { ...state, works: [] } };
    const next = as("turn", decide(rest, { underLease: true }, limits));
    expect(next.state.leftBehindAtMs).toBeUndefined();
    expect(next.work.batchIds).toEqual(["m2"]);
  });
});

describe("an outbound", () => {
  const outbound = item("o1", { kind: "outbound", arrivedAtMs: 4_000 });

  it("is a turn of its own, before messages and whatever their window", () => {
    const { what, work: taken } = as("turn", decide({ staged: [item("m1"), outbound] }, { nowMs: 4_000 }));
    expect(what).toBe("outbound");
    expect(taken).toMatchObject({ messageIds: ["o1"], openedAtMs: 4_000, dueAtMs: 4_000, attempts: 1 });
  });

  it("that failed waits its time alone or with messages, then counts on", () => {
    const works = [work({ messageIds: ["o1"], batchIds: ["o1"] })];
    const state = { works, window, notBeforeAtMs: 11_000 };
    expect(as("later", decide({ staged: [outbound], state })).atMs).toBe(11_000);
    expect(as("later", decide({ staged: [outbound, item("m1")], state })).atMs).toBe(11_000);
    const again = as("turn", decide({ staged: [outbound], state }, { nowMs: 11_000 }));
    expect(again.work).toMatchObject({ turnId: "old-turn", attempts: 2 });
  });

  it("goes out while paused, and its own backoff is not put off by the pause", () => {
    const staged = [item("m1"), outbound];
    const paused = { ...conversation, paused: true };
    expect(as("turn", decide({ staged, conversation: paused })).what).toBe("outbound");
    expect(as("turn", decide({ staged, allPaused: true })).what).toBe("outbound");
    const works = [work({ messageIds: ["o1"], batchIds: ["o1"] })];
    const state = { works, window, notBeforeAtMs: 11_000 };
    expect(as("later", decide({ staged, state, conversation: paused })).atMs).toBe(11_000);
  });

  it("does not wait for the batch beside it that backs off, and leaves that its pause", () => {
    const staged = [item("m1"), outbound];
    const state = { works: [work()], window, notBeforeAtMs: 9_000_000 };
    const { what, state: after } = as("turn", decide({ staged, state }));
    expect([what, after.notBeforeAtMs]).toEqual(["outbound", 9_000_000]);
    const rest = { staged: [item("m1")], state: { ...after, lease: undefined } };
    expect(as("later", decide(rest)).atMs).toBe(9_000_000);
  });
});

describe("paused", () => {
  it("a conversation is looked at again after a while, with its window as it was", () => {
    const { atMs, state } = as("later", decide({ conversation: { ...conversation, paused: true } }));
    expect(atMs).toBe(10_000 + settings.holdMs);
    expect(state.window).toEqual({ ...window, wakeAtMs: atMs });
  });

  it("a conversation without a window gets one for then", () => {
    const paused = { state: { works: [] }, conversation: { ...conversation, paused: true } };
    const againAtMs = taker.nowMs + settings.holdMs;
    expect(as("later", decide(paused)).state.window).toEqual({
      id: "new-window",
      dueAtMs: againAtMs,
      wakeAtMs: againAtMs,
    });
  });

  it("a project's conversation says what it waits for, and is left alone for long", () => {
    const holds = Array.from({ length: 50 }, (_, n) => {
      const { atMs, state } = as("later", decide({ pausedProject: "acme" }, { token: `token-${n}` }));
      expect(state).toMatchObject({ heldFor: "acme", window: { ...window, wakeAtMs: atMs } });
      return atMs - taker.nowMs;
    });
    expect(Math.min(...holds)).toBeGreaterThanOrEqual(1_800_000);
    expect(Math.max(...holds)).toBeLessThanOrEqual(3_600_000);
    expect(new Set(holds).size).toBeGreaterThan(25);
  });

  it("a project's conversation without a window has been due since the look", () => {
    const { state } = as("later", decide({ state: { works: [] }, pausedProject: "acme" }));
    expect(state.window).toMatchObject({ id: "new-window", dueAtMs: taker.nowMs });
  });

  it("a look after its project went on forgets what it waited for", () => {
    const held = { works: [], window, heldFor: "acme" };
    expect(as("turn", decide({ state: held })).state.heldFor).toBeUndefined();
    const paused = { state: held, conversation: { ...conversation, paused: true } };
    expect(as("later", decide(paused)).state.heldFor).toBeUndefined();
  });

  it("messages without a record wait, and what a person said to nobody is a dead letter", () => {
    const outbound = item("o1", { kind: "outbound" });
    for (const paused of [{ pausedProject: "acme" }, { allPaused: true }]) {
      as("later", decide({ ...paused, conversation: undefined }));
      const both = { ...paused, conversation: undefined, staged: [item("m1"), outbound] };
      expect(as("dead-letter", decide(both)).messageIds).toEqual(["o1"]);
    }
  });

  it("everywhere, what is due stays due, so that resuming finds it", () => {
    const { state } = as("later", decide({ allPaused: true }));
    expect(state.window).toEqual(window);
  });
});

describe("a draft whose conversation is not there any more", () => {
  const joined = work({ batchIds: ["m1", "m2"], attempts: 2 });
  const lost = { works: [joined], draft: draft({ kind: "pending" }), notBeforeAtMs: 99_000 };

  it("is dead-lettered with all that it answers, at once", () => {
    const deadLettered = as("dead-letter", decide({ state: lost, conversation: undefined }));
    expect(deadLettered).toMatchObject({
      messageIds: ["m1", "m2"],
      turnId: "old-turn",
      attempts: 2,
      reason: "CONVERSATION_NOT_FOUND",
    });
    expect([deadLettered.state.works, deadLettered.state.draft]).toEqual([[], lost.draft]);
  });

  it("also where nothing else is known of its turn", () => {
    const deadLettered = as(
      "dead-letter",
      decide({ state: { ...lost, works: [] }, conversation: undefined }),
    );
    expect(deadLettered).toMatchObject({ messageIds: ["m1"], turnId: "old-turn", attempts: 0 });
  });
});

describe("what is dead-lettered with a turn", () => {
  const both = { messageIds: ["m1", "m2"] };

  it.each<[ChunkState["kind"], ChunkState]>([
    ["sent", { kind: "sent", providerId: "p", atMs: 1 }],
    ["sending", { kind: "sending", sendByAtMs: 1 }],
    ["unknown", { kind: "unknown" }],
  ])("is each message that joined, where a chunk is %s", (_kind, state) => {
    expect(deadLetteredWith(work(), draft(state, both))).toEqual(["m1", "m2"]);
  });

  it("is only what was counted, where nothing was sent or the draft is another turn's", () => {
    expect(deadLetteredWith(work(), draft({ kind: "pending" }, both))).toEqual(["m1"]);
    expect(deadLetteredWith(work(), draft({ kind: "unknown" }, { ...both, turnId: "another" }))).toEqual([
      "m1",
    ]);
    expect(deadLetteredWith(work(), undefined)).toEqual(["m1"]);
  });
});

describe("a draft", () => {
  const state: ConversationState = { works: [work()], draft: draft({ kind: "pending" }), lease: lease(0) };

  it("is continued, counted, and leaves standing what is not in its turn", () => {
    const { what, work: taken, state: after } = as("turn", decide({ state: { ...state, window } }));
    expect(what).toBe("draft");
    expect(taken).toMatchObject({ turnId: "old-turn", attempts: 2, takenAtMs: 10_000 });
    expect(after.window).toEqual(window);
    expect(after.draft).toBe(state.draft);
  });

  it("is continued while paused: its answer was made before", () => {
    as("turn", decide({ state, conversation: { ...conversation, paused: true } }));
  });

  it("found sending is taken at once: what the provider has is proof at any time", () => {
    const sending = { ...state, draft: draft({ kind: "sending", sendByAtMs: 9_999_000 }) };
    expect(as("turn", decide({ state: sending })).what).toBe("draft");
  });

  it("backing off waits its time", () => {
    expect(as("later", decide({ state: { ...state, notBeforeAtMs: 10_001 } })).atMs).toBe(10_001);
  });

  it("out of attempts is dead-lettered where the next chunk was not sent", () => {
    const works = [work({ attempts: settings.attemptsMax })];
    expect(as("dead-letter", decide({ state: { ...state, works } })).messageIds).toEqual(["m1"]);
  });

  it.each([
    { kind: "sending", sendByAtMs: 0 },
    { kind: "sent", providerId: "p", atMs: 0 },
  ] as const)(
    "out of attempts, with a chunk $kind, is asked about and committed rather than dead-lettered",
    (chunk) => {
      const spent = (attempts: number) =>
        decide({ state: { ...state, works: [work({ attempts })], draft: draft(chunk) } }).kind;
      expect(spent(settings.attemptsMax)).toBe("turn");
      expect(spent(2 * settings.attemptsMax - 1)).toBe("turn");
      expect(spent(2 * settings.attemptsMax)).toBe("dead-letter");
    },
  );

  it("without its work is a fault that is not hidden", () => {
    expect(() => decide({ state: { ...state, works: [] } })).toThrow(/no work/);
  });
});

describe("a late answer", () => {
  const awaiting = draft({ kind: "pending" }, { chunks: [], awaitingUntilAtMs: 20_000 });
  const state: ConversationState = { works: [work({ attempts: 0 })], draft: awaiting, notBeforeAtMs: 20_000 };

  it("is awaited until its deadline", () => {
    expect(as("later", decide({ state }, { nowMs: 19_999 })).atMs).toBe(20_000);
  });

  it("that does not come is asked for again, as after any outage", () => {
    const { what, work: taken, state: after } = as("turn", decide({ state }, { nowMs: 20_000 }));
    expect(what).toBe("batch");
    expect(taken).toMatchObject({
      turnId: "old-turn",
      attempts: 2,
      outages: 1,
      failingSinceAtMs: 20_000,
      lastError: "no answer came in time",
    });
    expect(after.draft).toBeUndefined();
  });

  it("that never comes is dead-lettered when the outage has lasted too long", () => {
    const failing = (ageMs: number, outages = 4) => {
      const works = [work({ attempts: outages, outages, failingSinceAtMs: 20_000 - ageMs })];
      return decide({ state: { ...state, works } }, { nowMs: 20_000 });
    };
    expect(failing(settings.retryForMs - 1).kind).toBe("turn");
    expect(failing(settings.retryForMs, 3).kind).toBe("turn");
    expect(as("dead-letter", failing(settings.retryForMs))).toMatchObject({
      attempts: 4,
      reason: "no answer came in time",
    });
  });

  it("whose work is gone leaves the batch to a new turn", () => {
    const { work: taken } = as("turn", decide({ state: { ...state, works: [] } }, { nowMs: 20_000 }));
    expect(taken.turnId).toBe("new-turn");
  });
});

describe("a holder that was frozen after the moment it goes by", () => {
  const late = item("m2", { arrivedAtMs: 60_000 });
  const frozen = { ...taker, nowMs: 10_000, clockMs: 61_000 };
  const found: Found = { state: { works: [] }, staged: [late], conversation };

  it("takes nothing before it is due: what came since was not dated by a clock that was set back", () => {
    expect(decideTake(found, frozen, settings)).toMatchObject({ kind: "later", atMs: 70_000 });
  });

  it("takes at once what lies ahead of what its clock shows", () => {
    const setBack = { ...frozen, clockMs: 10_005 };
    expect(decideTake(found, setBack, settings)).toMatchObject({ kind: "turn", what: "batch" });
  });
});

it("a look continues a draft, but not one whose answer did not come in time", () => {
  const awaited = draft({ kind: "pending" }, { awaitingUntilAtMs: 10 });
  expect(continuesDraft({ works: [] }, 0)).toBe(false);
  expect(continuesDraft({ works: [], draft: draft({ kind: "pending" }) }, 1_000)).toBe(true);
  expect([9, 10].map((nowMs) => continuesDraft({ works: [], draft: awaited }, nowMs))).toEqual([true, false]);
});

it("the window in force is the conversation's own, else that of the newest message's channel", () => {
  const settings = settingsWith({
    channels: { sms: { type: "sms", window: { kind: "fixed", lengthMs: 20_000 } } },
  });
  const { window: _, ...plain } = conversation;
  as("turn", decide({ newestChannel: "sms" }, {}, settings));
  const later = as("later", decide({ conversation: plain, newestChannel: "sms" }, {}, settings));
  expect(later.atMs).toBe(20_000);
});
