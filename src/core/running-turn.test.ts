import { describe, expect, it } from "vitest";
import type { Draft } from "../model/draft.ts";
import {
  afterCommit,
  afterDelivery,
  afterGivingUp,
  letterOf,
  withChunks,
  withDraft,
  withoutLetter,
  workUnder,
} from "./running-turn.ts";
import type { ConversationState, Work } from "./state.ts";

const work = (turnId: string): Work => ({
  turnId,
  recordId: "c",
  messageIds: ["m1"],
  batchIds: ["m1", "m2"],
  attempts: 3,
  outages: 1,
  restarts: 0,
  openedAtMs: 1,
  dueAtMs: 2,
  takenAtMs: 3,
});
const draft = (turnId: string, kind: "pending" | "sending" | "sent" = "pending"): Draft => ({
  turnId,
  messageIds: ["m1", "m2"],
  channel: "sms",
  to: "+15550101",
  from: "+15550100",
  chunks: [
    {
      text: "hi",
      state:
        kind === "sent"
          ? { kind, providerId: "SM1", atMs: 1 }
          : kind === "sending"
            ? { kind, sendByAtMs: 9 }
            : { kind },
    },
  ],
  answerStartedAtMs: 3,
  draftedAtMs: 4,
});
const state = (given: Partial<ConversationState> = {}): ConversationState => ({
  works: [work("t1"), work("other")],
  lease: { token: "k", holder: "w", turnId: "t1", takenAtMs: 3, untilAtMs: 10 },
  busyToldTurnId: "t1",
  fullTold: true,
  ...given,
});

it("a lease whose turn has no work is a defect that is told", () => {
  expect(workUnder(state()).turnId).toBe("t1");
  expect(() => workUnder(state({ works: [work("other")] }))).toThrow("lease of turn t1 has no work");
  expect(() => workUnder({ works: [] })).toThrow("has no work");
});

describe("a draft is written", () => {
  it("and the lease renewed, and what a callback confirmed stays sent", () => {
    const after = withChunks(state({ draft: draft("t1", "sent") }), draft("t1", "sending"), 99);
    expect(after.lease?.untilAtMs).toBe(99);
    expect(after.draft?.chunks[0]?.state.kind).toBe("sent");
  });

  it("unless a late answer was accepted meanwhile: that one is sent", () => {
    const accepted = { ...draft("t1"), chunks: [] };
    expect(withDraft(state({ draft: accepted }), draft("t1"), 99).draft?.chunks).toEqual([]);
    const awaited = { ...accepted, awaitingUntilAtMs: 50 };
    expect(withDraft(state({ draft: awaited }), draft("t1"), 99).draft?.chunks).toHaveLength(1);
  });
});

it("a commit leaves what is another turn's, and the lease to its engine", () => {
  const after = afterCommit(state({ draft: draft("t1") }), work("t1"));
  expect(after.works.map(({ turnId }) => turnId)).toEqual(["other"]);
  expect(after).toMatchObject({ draft: undefined, busyToldTurnId: undefined, fullTold: true });
  expect(after.lease?.token).toBe("k");
});

it("a turn that gives up leaves its counted messages, or all that was answered, with what was sent", () => {
  const how = { kind: "dead-letter", reason: "refused" } as const;
  expect(letterOf(state(), how)).toEqual({
    messageIds: ["m1"],
    turnId: "t1",
    attempts: 3,
    reason: "refused",
    draft: undefined,
  });
  const answered = letterOf(state({ draft: draft("t1", "sent") }), { ...how, draft: draft("t1", "sending") });
  expect(answered.messageIds).toEqual(["m1", "m2"]);
  expect(answered.draft?.chunks[0]?.state.kind).toBe("sent");
  const after = afterGivingUp(state());
  expect(after.works.map(({ turnId }) => turnId)).toEqual(["other"]);
  expect(after).toMatchObject({ lease: undefined, busyToldTurnId: undefined });
});

it("the draft moves into the dead letter if it was that turn's, and stays if it was another's", () => {
  const content = { messageIds: ["m1"], turnId: "t1", attempts: 1, reason: "refused" };
  const own = withoutLetter(state({ draft: draft("t1") }), content);
  expect(own.draft?.turnId).toBe("t1");
  expect(own.after.draft).toBeUndefined();
  const others = withoutLetter(state({ draft: draft("other") }), content);
  expect(others.draft).toBeUndefined();
  expect(others.after.draft?.turnId).toBe("other");
});

describe("the provider's word of a chunk", () => {
  const told = { providerId: "SM2", atMs: 7 };
  const waiting: ConversationState = {
    works: [work("t1")],
    draft: draft("t1", "sending"),
    notBeforeAtMs: 99,
  };
  const first = { turnId: "t1", chunk: 0 };

  it("confirms one that was in doubt: its turn need not wait, and goes on unless it runs", () => {
    const confirmed = afterDelivery(waiting, first, told);
    expect(confirmed?.after.draft?.chunks[0]?.state).toEqual({ kind: "sent", ...told });
    expect(confirmed?.after.notBeforeAtMs).toBeUndefined();
    expect(confirmed?.goesOn).toBe(true);
    const lease = { token: "a", holder: "me", turnId: "t1", takenAtMs: 0, untilAtMs: 9 };
    expect(afterDelivery({ ...waiting, lease }, first, told)?.goesOn).toBe(false);
    expect(afterDelivery({ ...waiting, works: [] }, first, told)?.goesOn).toBe(false);
  });

  it("confirms nothing else", () => {
    expect(afterDelivery(waiting, { turnId: "t2", chunk: 0 }, told)).toBeUndefined();
    expect(afterDelivery(waiting, { turnId: "t1", chunk: 1 }, told)).toBeUndefined();
    expect(afterDelivery({ ...waiting, draft: draft("t1", "sent") }, first, told)).toBeUndefined();
    expect(afterDelivery({ works: [] }, first, told)).toBeUndefined();
  });
});
