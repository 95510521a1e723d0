import { describe, expect, it } from "vitest";
import type { ChunkState, Draft } from "../model/draft.ts";
import { draftOf, work as workWith } from "../testing/state-builders.ts";
import { afterRelease, type Releasing } from "./release.ts";
import type { ConversationState } from "./state.ts";

const NOW = 100_000;
const work = workWith({ attempts: 3, restarts: 1, takenAtMs: 20_000 });
const lease = { token: "t", holder: "h", turnId: "turn", takenAtMs: 20_000, untilAtMs: 160_000 };
const held: ConversationState = { works: [work], lease };

function releasing(given: Partial<Releasing> = {}): Releasing {
  const policy = { kind: "fixed", lengthMs: 10_000 } as const;
  return { state: held, work, newer: [], policy, nowMs: NOW, clockSkewMs: 0, windowId: "new", ...given };
}

const draft = (state: ChunkState, given: Partial<Draft> = {}) => draftOf([state], given);

const sending: ChunkState = { kind: "sending", sendByAtMs: NOW };
const sent: ChunkState = { kind: "sent", providerId: "p", atMs: 1 };

describe("however a turn releases its lease", () => {
  it("a window stands and the lease is gone", () => {
    for (const how of [
      { kind: "retry", afterMs: 5, reason: "x" },
      { kind: "wait", afterMs: 5 },
      { kind: "restart" },
      { kind: "put-back" },
    ] as const) {
      const after = afterRelease(releasing(), how);
      expect(after.lease).toBeUndefined();
      expect(after.window?.id).toBe("new");
      expect(after.window?.wakeAtMs).toBe(after.notBeforeAtMs);
    }
  });

  it("a window that stands keeps its id and due time: the conversation that waits longest goes first", () => {
    const window = { id: "old", dueAtMs: 50_000, wakeAtMs: 50_000 };
    const after = afterRelease(releasing({ state: { ...held, window } }), {
      kind: "retry",
      afterMs: 5,
      reason: "x",
    });
    expect(after.window).toEqual({ id: "old", dueAtMs: 50_000, wakeAtMs: NOW + 5 });
  });
});

describe("a retry", () => {
  const retry = { kind: "retry", afterMs: 5_000, reason: "overloaded" } as const;

  it("keeps counting, and keeps the reason", () => {
    const after = afterRelease(releasing(), retry);
    expect(after.works).toEqual([{ ...work, lastError: "overloaded", errors: 1 }]);
    const again = afterRelease(releasing({ work: { ...work, errors: 1 } }), retry);
    expect(again.works[0]?.errors).toBe(2);
    expect(after.notBeforeAtMs).toBe(NOW + 5_000);
    expect(after.window).toEqual({ id: "new", dueAtMs: NOW + 5_000, wakeAtMs: NOW + 5_000 });
  });

  it("after an outage is not counted, and keeps its number and the start of the outage", () => {
    const outage = { ...retry, outageSinceAtMs: NOW - 7 };
    const failed = { ...work, lastError: "overloaded", failingSinceAtMs: NOW - 7 };
    expect(afterRelease(releasing(), outage).works).toEqual([{ ...failed, attempts: 3, outages: 1 }]);
    const again = releasing({ work: { ...work, attempts: 7, outages: 4 } });
    expect(afterRelease(again, outage).works).toEqual([{ ...failed, attempts: 7, outages: 5 }]);
  });

  it("keeps the stored draft where it brings none, and its own where it does", () => {
    const state = { ...held, draft: draft({ kind: "pending" }) };
    expect(afterRelease(releasing({ state }), retry).draft).toBe(state.draft);
    const newer = draft(sending);
    expect(afterRelease(releasing({ state }), { ...retry, draft: newer }).draft).toEqual(newer);
    expect(afterRelease(releasing(), retry).draft).toBeUndefined();
  });

  it("does not wait for a send that the provider's callback confirmed in the meantime", () => {
    const state = { ...held, draft: draft(sent) };
    const after = afterRelease(releasing({ state }), { ...retry, draft: draft(sending) });
    expect(after.draft?.chunks[0]?.state).toEqual(sent);
    expect(after.notBeforeAtMs).toBe(NOW);
  });

  it("waits its time where nothing was in doubt, or still is", () => {
    const state = { ...held, draft: draft(sent) };
    expect(afterRelease(releasing({ state }), { ...retry, draft: draft(sent) }).notBeforeAtMs).toBe(
      NOW + 5_000,
    );
    const doubt = { ...held, draft: draft(sending) };
    expect(afterRelease(releasing({ state: doubt }), { ...retry, draft: draft(sending) }).notBeforeAtMs).toBe(
      NOW + 5_000,
    );
  });
});

describe("a wait", () => {
  it("is not counted, and comes back at its time with its draft", () => {
    const awaiting = draft({ kind: "pending" }, { chunks: [], awaitingUntilAtMs: NOW + 60_000 });
    const after = afterRelease(releasing(), { kind: "wait", afterMs: 60_000, draft: awaiting });
    expect(after.works[0]?.attempts).toBe(2);
    expect(after.draft).toEqual(awaiting);
    expect(after.window?.wakeAtMs).toBe(NOW + 60_000);
  });

  it("without a draft keeps the stored one", () => {
    const state = { ...held, draft: draft(sending) };
    expect(afterRelease(releasing({ state }), { kind: "wait", afterMs: 0 }).draft).toBe(state.draft);
  });

  it("does not undo a chunk that the callback confirmed, nor wait for it any longer", () => {
    const state = { ...held, draft: draft(sent) };
    const how = { kind: "wait", afterMs: 30_000, draft: draft(sending) } as const;
    const after = afterRelease(releasing({ state }), how);
    expect(after.draft?.chunks[0]?.state).toEqual(sent);
    expect(after.notBeforeAtMs).toBe(NOW);
  });

  it("for an answer that is there already goes on with it at once", () => {
    const state = { ...held, draft: draft({ kind: "pending" }) };
    const awaiting = draft({ kind: "pending" }, { chunks: [], awaitingUntilAtMs: NOW + 60_000 });
    const after = afterRelease(releasing({ state }), { kind: "wait", afterMs: 60_000, draft: awaiting });
    expect(after.draft).toBe(state.draft);
    expect(after.window?.wakeAtMs).toBe(NOW);
    expect(after.works[0]?.attempts).toBe(2);
  });
});

describe("a restart", () => {
  const newer = [{ arrivedAtMs: NOW - 1_000 }, { arrivedAtMs: NOW }];

  it("waits for the newer messages' own window, is not counted, and drops the draft", () => {
    const state = { ...held, draft: draft({ kind: "pending" }, { awaitingUntilAtMs: NOW + 60_000 }) };
    const after = afterRelease(releasing({ state, newer }), { kind: "restart" });
    expect(after.works).toEqual([{ ...work, attempts: 2, restarts: 2 }]);
    expect(after.draft).toBeUndefined();
    expect(after.notBeforeAtMs).toBe(NOW + 9_000);
  });

  it("keeps an answer that was accepted meanwhile: its sender was told that it is sent", () => {
    const state = { ...held, draft: draft({ kind: "pending" }) };
    const after = afterRelease(releasing({ state, newer }), { kind: "restart" });
    expect(after.works).toEqual([{ ...work, attempts: 2 }]);
    expect(after.draft).toEqual(state.draft);
    expect(after.notBeforeAtMs).toBe(NOW);
  });

  it("comes back at once where the newer messages are gone", () => {
    expect(afterRelease(releasing(), { kind: "restart" }).notBeforeAtMs).toBe(NOW);
  });
});

it("a release is not counted and due again at once", () => {
  const after = afterRelease(releasing(), { kind: "put-back" });
  expect(after.works).toEqual([{ ...work, attempts: 2 }]);
  expect(after.notBeforeAtMs).toBe(NOW);
});

describe("a provider's callback that was quicker", () => {
  const two = (first: ChunkState, second: ChunkState): Draft =>
    draft(first, { chunks: [first, second].map((state) => ({ text: "ok", state })) });

  it("leaves nothing to wait for, whichever chunk it was about", () => {
    const how = {
      kind: "retry",
      afterMs: 5_000,
      reason: "x",
      draft: two(sent, sending),
    } as const;
    const confirmed = afterRelease(releasing({ state: { ...held, draft: two(sent, sent) } }), how);
    expect(confirmed.notBeforeAtMs).toBe(NOW);
    expect(confirmed.draft).toEqual(two(sent, sent));
    const open = afterRelease(releasing({ state: { ...held, draft: two(sent, sending) } }), how);
    expect(open.notBeforeAtMs).toBe(NOW + 5_000);
  });
});
